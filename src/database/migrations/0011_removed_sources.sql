-- A removed source is told by `removed_at` alone: its account may be connected again while it is being deleted.
drop index sources_one_per_account;

create unique index sources_one_per_account on sources (organization_id, provider, external_account_id)
  where not push_only and removed_at is null;
