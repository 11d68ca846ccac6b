-- Who may read an item.

-- `enforced`: people are asked for as themselves.
alter table organizations add column permissions text not null default 'off';

alter table organizations
  add constraint organizations_permissions_check check (permissions in ('off', 'enforced'));

-- Goes up in each transaction that changes what principals a person has.
alter table organizations add column permissions_revision bigint not null default 0;

-- The key reads on behalf of people only.
alter table api_keys add column requires_user boolean not null default false;

-- A table of its own statement, as for item_revision (migration 0026).
create function key_requires_user(in_organization uuid, in_key uuid) returns boolean
language plpgsql as $$
begin
  return coalesce(
    (select k.requires_user from api_keys k where k.organization_id = in_organization and k.id = in_key), false);
end $$;

-- An organization's distinct policies. They never change, and ids are committed in ascending order and never reused: who has
-- looked at all up to one need only look at those above it.
create table access_policies (
  organization_id uuid not null references organizations (id),
  id integer not null,
  -- Of its principals.
  sha256 bytea not null,
  primary key (organization_id, id),
  unique (organization_id, sha256)
);

-- Whom a policy lets read, and whom it denies that whatever else they are.
create table access_policy_principals (
  organization_id uuid not null,
  principal text not null,
  policy_id integer not null,
  denies boolean not null,
  primary key (organization_id, principal, policy_id, denies),
  foreign key (organization_id, policy_id) references access_policies (organization_id, id) on delete cascade
);

-- 0: nobody may read it. Null: not derived from the item yet, so nobody may either.
alter table source_items add column policy_id integer;

create index source_items_by_policy on source_items (organization_id, policy_id, id);

create index source_items_without_policy on source_items (organization_id, id) where policy_id is null;

-- The list of what is stored reads an item's policy in the index.
create index source_items_by_change_and_policy on source_items (organization_id, source_id, source_kind, updated_at desc, id)
  include (policy_id);

drop index source_items_by_change;
