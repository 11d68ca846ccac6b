-- The next change of a bought plan and its time: another plan, or its end if the tier is null. All null: no change.
alter table subscriptions
  add column planned_at timestamptz,
  add column planned_tier text,
  add column planned_interval text;

-- Separate, named constraints: a distributed table accepts no column together with a constraint.
alter table subscriptions
  add constraint subscriptions_planned_tier_check check (planned_tier in ('builder', 'studio', 'scale'));

alter table subscriptions
  add constraint subscriptions_planned_interval_check check (planned_interval in ('monthly', 'annual'));

alter table payment_accounts
  -- How the subscription at the payment processor differs, as of the last reading.
  add column remarks text[] not null default '{}',
  -- Why the last reading failed; null: it did not.
  add column last_error text;

-- Former members of existing workspaces. Audit trail and usage name them, so their names and addresses are stored as long.
create table former_members (
  organization_id uuid not null references organizations (id),
  user_id uuid not null references users (id),
  left_at timestamptz not null,
  primary key (organization_id, user_id)
);

create index former_members_by_user on former_members (user_id);

-- Members who left before this table existed.
insert into former_members (organization_id, user_id, left_at)
select e.organization_id, u.id, max(e.created_at)
from audit_events e join users u on u.id::text = e.target_id
where e.action = 'member.remove'
group by e.organization_id, u.id;

-- The day of the user's last sign-in; null: none since this column exists.
alter table users add column seen_at timestamptz;
