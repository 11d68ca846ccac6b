-- Connected provider accounts: their grants, their sync runs, and the items that the runs stored.

-- The cursor of the last stored page, as JSON; null reads everything.
alter table sources add column sync_cursor text;

-- The last finished full crawl. Items with its name existed then or were added since.
alter table sources add column last_snapshot text;

alter table sources add column next_poll_at timestamptz;

-- When the provider's first event for this source arrived.
alter table sources add column push_since timestamptz;

create unique index sources_one_per_account on sources (organization_id, provider, external_account_id) where not push_only;

create index sources_by_poll on sources (next_poll_at) where not push_only and status <> 'disabled';

create index sources_by_account on sources (provider, external_account_id) where not push_only;

alter table sync_runs add column items_failed integer not null default 0;

-- The provider asked the run to wait. No worker acquires it earlier.
alter table sync_runs add column not_before timestamptz;

-- The worker with the lease works on the run. Another worker can acquire an expired lease, by the database's clock.
alter table sync_runs add column lease_id uuid;

alter table sync_runs add column lease_expires_at timestamptz;

-- How often workers acquired the run since it last stored a page.
alter table sync_runs add column takes integer not null default 0;

create index sync_runs_active on sync_runs (created_at) where status in ('queued', 'running');

-- The first hundred items that a run could not read; sync_runs.items_failed counts all of them.
create table sync_run_failures (
  organization_id uuid not null,
  run_id uuid not null,
  external_id text not null,
  message text not null,
  created_at timestamptz not null,
  primary key (organization_id, run_id, external_id),
  foreign key (organization_id, run_id) references sync_runs (organization_id, id) on delete cascade
);

-- Items stored by sync runs, with the last full crawl that saw each. Contains no pushed documents.
create table synced_items (
  organization_id uuid not null,
  source_item_id uuid not null,
  snapshot text,
  primary key (organization_id, source_item_id),
  foreign key (organization_id, source_item_id) references source_items (organization_id, id) on delete cascade
);

-- The order in which connectors list stored items.
create index source_items_by_source_and_name on source_items (organization_id, source_id, external_id collate "C");

drop index source_items_by_source;

-- Encrypted OAuth grants. `version` counts writes, so that only one of two workers with the same old token refreshes it.
create table source_credentials (
  organization_id uuid not null,
  source_id uuid not null,
  ciphertext bytea not null,
  version integer not null default 1,
  refresh_lease_expires_at timestamptz,
  updated_at timestamptz not null,
  primary key (organization_id, source_id),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

-- Grants of removed sources that must still be revoked at the provider. `id` is the source's; the ciphertext is unchanged.
create table grant_revocations (
  organization_id uuid not null,
  id uuid not null,
  provider text not null check (provider in ('slack', 'google_drive', 'notion', 'gmail')),
  external_account_id text not null,
  ciphertext bytea not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  primary key (organization_id, id)
);

-- OAuth flows in progress. The callback has only the state, so its hash is the key. Each row is used once.
create table oauth_states (
  state_sha256 bytea primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  provider text not null check (provider in ('slack', 'google_drive', 'notion', 'gmail')),
  code_verifier_ciphertext bytea not null,
  expires_at timestamptz not null
);

-- Events from the provider's webhook for a source. Rows stay for a while after they were read, to detect duplicates.
create table push_events (
  organization_id uuid not null,
  source_id uuid not null,
  event_id text not null,
  position bigint generated always as identity,
  hints text not null,
  received_at timestamptz not null,
  read_at timestamptz,
  primary key (organization_id, source_id, event_id),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);
