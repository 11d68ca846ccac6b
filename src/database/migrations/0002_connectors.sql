-- Connected provider accounts: their grants, the runs that read them, and what the runs have brought.

-- JSON of the cursor that the last stored page carried; null asks the provider for everything.
alter table sources add column sync_cursor text;

-- The last full crawl that was finished: items that carry its name were there then, or have come since.
alter table sources add column last_snapshot text;

alter table sources add column next_poll_at timestamptz;

-- When the provider's first event for this source arrived.
alter table sources add column push_since timestamptz;

create unique index sources_one_per_account on sources (organization_id, provider, external_account_id) where not push_only;

create index sources_by_poll on sources (next_poll_at) where not push_only and status <> 'disabled';

create index sources_by_account on sources (provider, external_account_id) where not push_only;

alter table sync_runs add column items_failed integer not null default 0;

-- Queued again because the provider asked to wait: not to be taken up before.
alter table sync_runs add column not_before timestamptz;

-- Whoever holds the lease works on the run. One that ran out may be taken over; times are the database's own.
alter table sync_runs add column lease_id uuid;

alter table sync_runs add column lease_expires_at timestamptz;

-- How often the run was taken up since it last stored a page.
alter table sync_runs add column takes integer not null default 0;

create index sync_runs_active on sync_runs (created_at) where status in ('queued', 'running');

-- What one run could not read, the first hundred of it; sync_runs.items_failed counts all.
create table sync_run_failures (
  organization_id uuid not null,
  run_id uuid not null,
  external_id text not null,
  message text not null,
  created_at timestamptz not null,
  primary key (organization_id, run_id, external_id),
  foreign key (organization_id, run_id) references sync_runs (organization_id, id) on delete cascade
);

-- Items that a run brought, and the full crawl that saw each last; pushed documents are not here.
create table synced_items (
  organization_id uuid not null,
  source_item_id uuid not null,
  snapshot text,
  primary key (organization_id, source_item_id),
  foreign key (organization_id, source_item_id) references source_items (organization_id, id) on delete cascade
);

-- In the order in which connectors walk what is stored.
create index source_items_by_source_and_name on source_items (organization_id, source_id, external_id collate "C");

drop index source_items_by_source;

-- OAuth grants, encrypted. `version` counts writes, so that of two workers with the same old token one refreshes it.
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

-- Grants of removed sources that are still to be ended at the provider. `id` is the source's, the ciphertext is as it was.
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

-- OAuth flows under way. The callback knows nothing but the state, so its hash is the key; a row is used once.
create table oauth_states (
  state_sha256 bytea primary key,
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  provider text not null check (provider in ('slack', 'google_drive', 'notion', 'gmail')),
  code_verifier_ciphertext bytea not null,
  expires_at timestamptz not null
);

-- What the provider's webhook announced for a source. Kept for a while after it was read, so that repeats are known.
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
