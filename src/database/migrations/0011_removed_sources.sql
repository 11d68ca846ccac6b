-- `removed_at` alone marks a removed source: its account can be connected again while the source is being deleted.
drop index sources_one_per_account;

create unique index sources_one_per_account on sources (organization_id, provider, external_account_id)
  where not push_only and removed_at is null;
