-- What a plan means is computed by the row itself, so that every statement that counts a credit reads the same. A test
-- compares the numbers with src/billing/plans/plans.ts.
alter table subscriptions
  -- Terms that the operator agreed on; such a subscription is never overwritten by the payment processor.
  add column is_contract boolean not null default false,
  -- What the contract says of answers over the cap; null: as the tier has it.
  add column over_cap text check (over_cap in ('block', 'metered')),
  -- Millionths of a US dollar; null: the tier's price.
  add column extra_answer_micro_usd integer check (extra_answer_micro_usd >= 0),
  add column billing_interval text check (billing_interval in ('monthly', 'annual')),
  add column trial_ends_at timestamptz,
  add column cancel_at_period_end boolean not null default false,
  add column payment_method_missing boolean not null default false,
  -- Answers served over the cap in the period; a plan that changes in the middle of one leaves them as they are.
  add column overage_answers integer not null default 0 check (overage_answers >= 0),
  add column retrieves boolean not null generated always as (status in ('trialing', 'active', 'past_due', 'internal')) stored,
  -- Credits of a period; null: unlimited. Who has no tier has none, unless they were given some.
  add column credit_limit integer generated always as (
    case when status = 'internal' then null
         else coalesce(credits_included, case tier when 'builder' then 5000 when 'studio' then 25000 when 'scale' then 100000 when 'enterprise' then null else 0 end) end
  ) stored,
  -- Whether calls over the limit, where there is one, are refused; otherwise they are served and charged.
  add column blocks_over_cap boolean not null generated always as (
    coalesce(over_cap, case when tier in ('studio', 'scale') then 'metered' else 'block' end) = 'block'
  ) stored;

-- What the operator has set so far keeps standing.
update subscriptions set is_contract = true where status = 'internal' or tier = 'enterprise' or credits_included is not null;

-- An organization at the payment processor. Whatever announces a change there counts a notice; whoever reads takes the
-- lease, and a reading is stored with the number of notices that it came after. So an older one never follows a newer.
create table payment_accounts (
  organization_id uuid primary key references organizations (id),
  -- null until the customer is made.
  customer_id text,
  -- The subscription that the organization's own one mirrors.
  processor_subscription_id text,
  notices integer not null default 0,
  notices_read integer not null default 0,
  read_at timestamptz,
  lease_id uuid,
  lease_expires_at timestamptz,
  -- After failures.
  attempts integer not null default 0,
  not_before timestamptz,
  created_at timestamptz not null
);

create index payment_accounts_by_customer on payment_accounts (customer_id);

create index payment_accounts_by_reading on payment_accounts (read_at);

-- Events of the payment processor that were taken, for those that come again.
create table payment_events (
  organization_id uuid not null references organizations (id),
  event_id text not null,
  type text not null,
  received_at timestamptz not null,
  primary key (organization_id, event_id)
);

create index payment_events_by_time on payment_events (received_at);

-- Answers over the cap on their way to the payment processor's meter. A row counts the answers of a few seconds until it
-- is sealed; from then on it never changes, and its id is what the processor knows it by.
create table overage_reports (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  period_started_at timestamptz not null,
  window_started_at timestamptz not null,
  answers integer not null check (answers > 0),
  sealed_at timestamptz,
  -- Whom it is charged to, from its sealing on.
  customer_id text,
  attempts integer not null default 0,
  -- When an attempt began whose outcome nobody knows; null while every attempt was answered.
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

-- What is beyond the plan's room after a downgrade; the newest first. It stays and stops.
alter table api_keys add column beyond_plan boolean not null default false;

alter table sources add column beyond_plan boolean not null default false;
