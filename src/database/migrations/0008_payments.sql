-- The row computes the plan's limits, so that every statement that counts a credit reads the same ones. A test compares
-- the numbers with src/billing/plans/plans.ts.
alter table subscriptions
  -- Terms set by the operator. The payment processor never overwrites such a subscription.
  add column is_contract boolean not null default false,
  -- The contract's behavior over the cap; null: the tier's.
  add column over_cap text check (over_cap in ('block', 'metered')),
  -- Millionths of a US dollar; null: the tier's price.
  add column extra_answer_micro_usd integer check (extra_answer_micro_usd >= 0),
  add column billing_interval text check (billing_interval in ('monthly', 'annual')),
  add column trial_ends_at timestamptz,
  add column cancel_at_period_end boolean not null default false,
  add column payment_method_missing boolean not null default false,
  -- Answers served over the cap in the period. A change of plan within the period keeps the count.
  add column overage_answers integer not null default 0 check (overage_answers >= 0),
  add column retrieves boolean not null generated always as (status in ('trialing', 'active', 'past_due', 'internal')) stored,
  -- Credits per period; null: unlimited. Without a tier there are none, unless the operator set a number.
  add column credit_limit integer generated always as (
    case when status = 'internal' then null
         else coalesce(credits_included, case tier when 'builder' then 5000 when 'studio' then 25000 when 'scale' then 100000 when 'enterprise' then null else 0 end) end
  ) stored,
  -- Whether calls over the limit are refused. Otherwise they are served and charged.
  add column blocks_over_cap boolean not null generated always as (
    coalesce(over_cap, case when tier in ('studio', 'scale') then 'metered' else 'block' end) = 'block'
  ) stored;

-- Terms that the operator has set so far remain.
update subscriptions set is_contract = true where status = 'internal' or tier = 'enterprise' or credits_included is not null;

-- An organization at the payment processor. Every announced change increments the notices. A reader holds the lease and
-- stores its reading with the number of notices that preceded it, so that an older reading never replaces a newer one.
create table payment_accounts (
  organization_id uuid primary key references organizations (id),
  -- Null until the customer is created.
  customer_id text,
  -- The subscription that the organization's row mirrors.
  processor_subscription_id text,
  notices integer not null default 0,
  notices_read integer not null default 0,
  read_at timestamptz,
  lease_id uuid,
  lease_expires_at timestamptz,
  -- Failed attempts since the last success.
  attempts integer not null default 0,
  not_before timestamptz,
  created_at timestamptz not null
);

create index payment_accounts_by_customer on payment_accounts (customer_id);

create index payment_accounts_by_reading on payment_accounts (read_at);

-- Processed events of the payment processor, to detect duplicates.
create table payment_events (
  organization_id uuid not null references organizations (id),
  event_id text not null,
  type text not null,
  received_at timestamptz not null,
  primary key (organization_id, event_id)
);

create index payment_events_by_time on payment_events (received_at);

-- Reports of answers over the cap for the payment processor's meter. A row counts the answers of a few seconds until it
-- is sealed. From then on it never changes, and its ID identifies it at the processor.
create table overage_reports (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  period_started_at timestamptz not null,
  window_started_at timestamptz not null,
  answers integer not null check (answers > 0),
  sealed_at timestamptz,
  -- The customer to charge; set when the report is sealed.
  customer_id text,
  attempts integer not null default 0,
  -- Start of the first attempt with an unknown outcome; null: every attempt was answered.
  unknown_since timestamptz,
  next_attempt_at timestamptz,
  lease_id uuid,
  lease_expires_at timestamptz,
  last_error text,
  sent_at timestamptz,
  primary key (organization_id, id)
);

create unique index overage_reports_one_open on overage_reports (organization_id, period_started_at, window_started_at) where sealed_at is null;

create index overage_reports_unsent on overage_reports (window_started_at) where sent_at is null;

create index overage_reports_sent on overage_reports (sent_at) where sent_at is not null;

-- Keys and sources over the plan's limit after a downgrade, newest first. They are kept but do not work.
alter table api_keys add column beyond_plan boolean not null default false;

alter table sources add column beyond_plan boolean not null default false;
