-- The endpoints that receive a workspace's events.
create table outgoing_webhooks (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  url text not null,
  description text,
  -- Null: every type, including types added later.
  event_types text[],
  status text not null check (status in ('active', 'disabled')),
  disabled_reason text check (disabled_reason in ('person', 'gone', 'failing')),
  secret_ciphertext bytea not null,
  -- After a rotation, the previous secret also signs for a while.
  previous_secret_ciphertext bytea,
  previous_secret_expires_at timestamptz,
  -- When deliveries began to fail; null: the last one succeeded.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id),
  check ((status = 'disabled') = (disabled_reason is not null))
);

-- An event to deliver to a webhook, written in the transaction that causes it.
create table webhook_deliveries (
  organization_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  -- The same for every webhook that receives the event, and for every attempt.
  event_id uuid not null,
  type text not null,
  -- The bytes that are signed and sent.
  payload text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- Started attempts.
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  lease_id uuid,
  lease_expires_at timestamptz,
  last_attempt_at timestamptz,
  response_status integer,
  -- Why the last attempt failed.
  error text,
  created_at timestamptz not null,
  primary key (organization_id, id),
  foreign key (organization_id, webhook_id) references outgoing_webhooks (organization_id, id) on delete cascade
);

create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where status = 'pending';

create index webhook_deliveries_newest on webhook_deliveries (organization_id, webhook_id, created_at desc, id desc);

create index webhook_deliveries_settled on webhook_deliveries (created_at) where status <> 'pending';

-- The greatest share of a period's credits that a low-credit notice has reported, and the cap that it reported.
create table credit_notices (
  organization_id uuid primary key references organizations (id),
  period_started_at timestamptz not null,
  credit_limit integer not null,
  percent integer not null
);
