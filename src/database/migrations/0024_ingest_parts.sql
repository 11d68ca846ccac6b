-- The journal of ingests that the embedded database stores in several transactions, until the last of these commits.
create table ingest_parts (
  organization_id uuid not null references organizations (id),
  ingest_id uuid not null,
  -- 1, 2, …
  part integer not null,
  -- JSON, a list.
  items text not null,
  -- The last part commits the ingest. Without it, nothing has happened.
  decides boolean not null,
  primary key (organization_id, ingest_id, part)
);

-- Written and read only once, so compression does not pay off.
alter table ingest_parts alter column items set storage external;
