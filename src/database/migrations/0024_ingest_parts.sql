-- Documents of ingests that the embedded database stores in several transactions, from before the first of these until the last.
create table ingest_parts (
  organization_id uuid not null references organizations (id),
  ingest_id uuid not null,
  -- 1, 2, …
  part integer not null,
  -- JSON, a list.
  items text not null,
  -- The last part, with which the ingest is decided: without it nothing has happened.
  decides boolean not null,
  primary key (organization_id, ingest_id, part)
);

-- Written and read once: compressing it would take longer.
alter table ingest_parts alter column items set storage external;
