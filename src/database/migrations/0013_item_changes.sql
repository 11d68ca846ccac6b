-- Changed items in commit order, so that snapshots in memory can follow.

-- How often an organization's items changed. A transaction locks this row last.
create table item_revisions (
  organization_id uuid primary key references organizations (id),
  revision bigint not null
);

-- The items that each of the latest revisions changed.
create table item_changes (
  organization_id uuid not null references organizations (id),
  revision bigint not null,
  -- The IDs of the items as JSON; null: too many to list.
  item_ids text,
  primary key (organization_id, revision)
);
