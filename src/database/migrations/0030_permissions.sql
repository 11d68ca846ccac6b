-- Permissions: who may read an item.

-- `enforced`: people read with their own permissions.
alter table organizations add column permissions text not null default 'off';

alter table organizations
  add constraint organizations_permissions_check check (permissions in ('off', 'enforced'));

-- Incremented by each transaction that changes the principals of people.
alter table organizations add column permissions_revision bigint not null default 0;

-- Whether the key reads only on behalf of people.
alter table api_keys add column requires_user boolean not null default false;

-- A function, so that its statement uses one table, as for item_revision (migration 0026).
create function key_requires_user(in_organization uuid, in_key uuid) returns boolean
language plpgsql as $$
begin
  return coalesce(
    (select k.requires_user from api_keys k where k.organization_id = in_organization and k.id = in_key), false);
end $$;

-- An organization's distinct policies. They never change, and IDs are committed in ascending order and never reused, so a
-- reader that knows all policies up to an ID only needs to read those above it.
create table access_policies (
  organization_id uuid not null references organizations (id),
  id integer not null,
  -- SHA-256 of the principals.
  sha256 bytea not null,
  primary key (organization_id, id),
  unique (organization_id, sha256)
);

-- The principals that a policy allows to read, and those that it denies even if another entry allows them.
create table access_policy_principals (
  organization_id uuid not null,
  principal text not null,
  policy_id integer not null,
  denies boolean not null,
  primary key (organization_id, principal, policy_id, denies),
  foreign key (organization_id, policy_id) references access_policies (organization_id, id) on delete cascade
);

-- 0: nobody may read the item. Null: not derived yet, so nobody may read it either.
alter table source_items add column policy_id integer;

create index source_items_by_policy on source_items (organization_id, policy_id, id);

create index source_items_without_policy on source_items (organization_id, id) where policy_id is null;

-- The list of stored items reads policies from the index.
create index source_items_by_change_and_policy on source_items (organization_id, source_id, source_kind, updated_at desc, id)
  include (policy_id);

drop index source_items_by_change;
