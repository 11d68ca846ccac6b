-- What a plan that was bought becomes, and when: another one, or with no tier its end. All null: it stays as it is.
alter table subscriptions
  add column planned_at timestamptz,
  add column planned_tier text,
  add column planned_interval text;

-- Each on its own and by its name: a distributed table takes no column together with a constraint.
alter table subscriptions
  add constraint subscriptions_planned_tier_check check (planned_tier in ('builder', 'studio', 'scale'));

alter table subscriptions
  add constraint subscriptions_planned_interval_check check (planned_interval in ('monthly', 'annual'));

alter table payment_accounts
  -- What the payment processor has otherwise than this service takes it, as the last reading found it.
  add column remarks text[] not null default '{}',
  -- Why the last reading failed; null: it did not.
  add column last_error text;

-- Who once belonged to a workspace that is still there: its trail and its use name them, so who they are is kept as long.
create table former_members (
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  left_at timestamptz not null,
  primary key (organization_id, user_id)
);

create index former_members_by_user on former_members (user_id);

-- Those who left before this table was there.
insert into former_members (organization_id, user_id, left_at)
select e.organization_id, u.id, max(e.created_at)
from audit_events e join users u on u.id::text = e.target_id
where e.action = 'member.remove'
group by e.organization_id, u.id;

-- When somebody last signed in, to the day; null: not since this column is there.
alter table users add column seen_at timestamptz;
