-- The memory canvas: who, what and where, as the stored items say it. All of it is drawn from items and goes with them.

-- The content that the canvas has read of the item; null or another than `content_sha256`: it is to be read (again).
alter table source_items add column canvas_sha256 bytea;

create index source_items_unread on source_items (organization_id, source_id, id)
  where canvas_sha256 is distinct from content_sha256;

-- Whoever changes an organization's canvas locks its row; who reads items for it holds its lease.
create table canvas_work (
  organization_id uuid primary key references organizations (id),
  lease_id uuid,
  lease_expires_at timestamptz
);

-- What a text can name: an address, a name, a handle, a channel, a domain, a topic. Several of them may be one person; whether
-- they are is decided by what is in scope, when it is asked for. A source is one too, so that its items are counted alike.
create table entities (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  type text not null check (type in ('person', 'organization', 'channel', 'topic', 'source')),
  -- With the organization it makes the id.
  key text not null,
  -- What others may call it by; null: nothing.
  alias text,
  -- How well it tells one from another: of two that are called the same the lesser belongs to the greater.
  rank smallint not null,
  primary key (organization_id, id)
);

create index entities_by_alias on entities (organization_id, alias, id);

-- An item names an entity.
create table item_entities (
  organization_id uuid not null,
  source_item_id uuid not null,
  entity_id uuid not null,
  -- The item's when it was read: what it is counted under.
  source_id uuid not null,
  role text not null check (role in ('author', 'recipient', 'channel', 'mention', 'source')),
  -- The words by which it does.
  names text[] not null,
  -- When the item last changed where it is from.
  seen_at timestamptz not null,
  -- Whoever asks what an item names has it from the index alone.
  primary key (organization_id, source_item_id, entity_id) include (source_id, role),
  foreign key (organization_id, source_item_id) references source_items (organization_id, id) on delete cascade,
  foreign key (organization_id, entity_id) references entities (organization_id, id),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index item_entities_newest on item_entities (organization_id, entity_id, source_id, seen_at desc, source_item_id);

-- How many items of a source name an entity, and how many of these it wrote.
create table entity_totals (
  organization_id uuid not null,
  source_id uuid not null,
  entity_id uuid not null,
  type text not null,
  items integer not null,
  authored integer not null,
  primary key (organization_id, entity_id, source_id) include (items, authored),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index entity_totals_by_items on entity_totals (organization_id, source_id, type, items desc, entity_id);

-- How many items of a source call it so: what labels are chosen from, and the evidence for what is one.
create table entity_names (
  organization_id uuid not null,
  source_id uuid not null,
  entity_id uuid not null,
  name text not null,
  -- The same name however it is written; null where it says nothing about who it is.
  alias text,
  -- Its words for looking it up.
  words text not null,
  items integer not null,
  primary key (organization_id, entity_id, source_id, name),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index entity_names_by_alias on entity_names (organization_id, alias, source_id, entity_id);

create index entity_names_by_words on entity_names using gin (to_tsvector('simple', words));
