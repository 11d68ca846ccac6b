-- Which items changed, in the order in which it was committed, so that copies in memory can follow.

-- How often an organization's items changed. Its row is locked last of all in a transaction.
create table item_revisions (
  organization_id uuid primary key references organizations (id),
  revision bigint not null
);

-- What each of the latest revisions changed.
create table item_changes (
  organization_id uuid not null references organizations (id),
  revision bigint not null,
  -- JSON, the ids of the items; null: too many to be named.
  item_ids text,
  primary key (organization_id, revision)
);
