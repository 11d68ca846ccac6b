-- A semicolon at the end of a line ends a statement and occurs nowhere else.
-- organization_id leads every tenant table's primary key, so that the schema can be distributed without changes.

create extension if not exists vector;

-- Models whose vectors are stored. Each vector row names its model, so that vectors of two models are never mixed.
create table embedding_models (
  id smallint generated always as identity primary key,
  name text not null unique,
  dimensions integer not null check (dimensions between 1 and 4000)
);

create table organizations (
  id uuid primary key,
  name text not null,
  -- The model that answers this organization's queries; null until its first vectors are stored.
  embedding_model_id smallint references embedding_models (id),
  -- The workspace that a local deployment creates for itself; at most one.
  is_local boolean not null default false,
  created_at timestamptz not null
);

create unique index organizations_one_local on organizations (is_local) where is_local;

create table users (
  id uuid primary key,
  issuer text not null,
  subject text not null,
  email text,
  name text,
  created_at timestamptz not null,
  unique (issuer, subject)
);

create table memberships (
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null,
  primary key (organization_id, user_id)
);

create index memberships_by_user on memberships (user_id);

-- Every retrieval updates the period's counter, so it has a row separate from the organization's.
create table subscriptions (
  organization_id uuid primary key references organizations (id),
  status text not null check (status in ('trialing', 'active', 'past_due', 'unpaid', 'canceled', 'incomplete', 'incomplete_expired', 'paused', 'internal')),
  tier text check (tier in ('builder', 'studio', 'scale', 'enterprise')),
  -- Credits per period; null: the tier's number, or unlimited if the tier has none.
  credits_included integer check (credits_included >= 0),
  -- Periods are whole months counted from the anchor, so that a period from the 31st does not drift.
  period_anchor timestamptz not null,
  period_started_at timestamptz not null,
  period_ends_at timestamptz not null,
  credits_used integer not null default 0 check (credits_used >= 0),
  updated_at timestamptz not null
);

-- Credits reserved by requests in flight. Settling deletes the row. If the process dies, the credit returns when the row expires.
create table credit_reservations (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  period_started_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (organization_id, id)
);

create index credit_reservations_by_expiry on credit_reservations (expires_at);

create table api_keys (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  prefix text not null,
  secret_sha256 bytea not null,
  actor_type text not null check (actor_type in ('agent', 'application', 'admin')),
  allowed_actions text[] not null,
  allowed_providers text[],
  -- Created at startup for the local workspace; replaced when BOOTSTRAP_ADMIN_KEY names another key.
  is_bootstrap boolean not null default false,
  last_used_at timestamptz,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (organization_id, id)
);

create index api_keys_by_secret on api_keys (secret_sha256);

-- Times of the requests admitted in the last minute. A crash loses only that minute.
create unlogged table rate_windows (
  organization_id uuid not null,
  -- The API key, or the console user.
  subject_id uuid not null,
  action text not null,
  admitted_at timestamptz[] not null,
  admitted_count integer[] not null,
  primary key (organization_id, subject_id, action)
);

create table audit_events (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  actor_user_id uuid,
  actor_api_key_id uuid,
  action text not null,
  target_type text not null,
  target_id text not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  primary key (organization_id, id),
  check (num_nonnulls(actor_user_id, actor_api_key_id) = 1)
);

create index audit_events_newest on audit_events (organization_id, created_at desc, id desc);

create table sources (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  provider text not null check (provider in ('slack', 'google_drive', 'notion', 'gmail')),
  -- True for a source without a provider account, which accepts only pushed documents.
  push_only boolean not null,
  status text not null check (status in ('pending', 'active', 'error', 'disabled')),
  display_name text not null,
  external_account_id text not null,
  last_synced_at timestamptz,
  error_message text,
  channel_allowlist text[],
  policy_health jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);

create table sync_runs (
  organization_id uuid not null,
  id uuid not null,
  source_id uuid not null,
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed')),
  full_resync boolean not null,
  started_at timestamptz,
  finished_at timestamptz,
  items_discovered integer not null default 0,
  items_ingested integer not null default 0,
  items_deleted integer not null default 0,
  error_message text,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create unique index sync_runs_one_active on sync_runs (organization_id, source_id) where status in ('queued', 'running');

create index sync_runs_newest on sync_runs (organization_id, created_at desc, id desc);

create table connector_access (
  organization_id uuid not null references organizations (id),
  provider text not null check (provider in ('slack', 'google_drive', 'notion', 'gmail')),
  id uuid not null,
  status text not null check (status in ('pending', 'granted', 'denied')),
  requested_by_user_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, provider)
);

create table source_items (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  provider text not null check (provider in ('slack', 'google_drive', 'notion', 'gmail')),
  external_id text not null,
  source_id uuid not null,
  source_kind text not null check (source_kind in ('message', 'document', 'file')),
  title text not null,
  body text not null,
  url text,
  author_name text,
  source_created_at timestamptz,
  source_updated_at timestamptz,
  metadata jsonb not null,
  -- SHA-256 of everything above that a caller sends. If it is equal, nothing has changed.
  content_sha256 bytea not null,
  synced_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, provider, external_id),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index source_items_by_source on source_items (organization_id, source_id);

create table chunks (
  organization_id uuid not null,
  source_item_id uuid not null,
  position integer not null,
  -- The headings above the chunk, which are embedded with it; null: none.
  heading text,
  content text not null,
  primary key (organization_id, source_item_id, position),
  foreign key (organization_id, source_item_id) references source_items (organization_id, id) on delete cascade
);

-- Narrow rows whose vectors are never stored out of line, so that a scan reads nothing else.
create table chunk_embeddings (
  organization_id uuid not null,
  embedding_model_id smallint not null references embedding_models (id),
  source_item_id uuid not null,
  position integer not null,
  provider text not null,
  embedding halfvec not null,
  -- Starts with the item, because rows are deleted together with their chunk.
  primary key (organization_id, source_item_id, position, embedding_model_id),
  foreign key (organization_id, source_item_id, position) references chunks (organization_id, source_item_id, position) on delete cascade
);

alter table chunk_embeddings alter column embedding set storage plain;

create index chunk_embeddings_by_provider on chunk_embeddings (organization_id, embedding_model_id, provider);

-- vectors of the new model.
-- the vectors of this model beside those of the model that answers.
create table reembeddings (
  organization_id uuid primary key references organizations (id),
  id uuid not null,
  -- The model that the chunks move to.
  embedding_model_id smallint not null references embedding_models (id),
  status text not null check (status in ('running', 'succeeded')),
  -- The last finished item; null: none yet.
  after_item_id uuid,
  -- Set at the end; counted while the move runs.
  chunks_total integer,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- Why the last attempt stopped; null while a move runs.
  error_message text,
  -- The process with the lease does the move. Another process can acquire an expired lease.
  lease_id uuid,
  lease_expires_at timestamptz
);
