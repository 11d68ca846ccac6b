-- The memory canvas: the people, topics and places that items name. Everything is derived from items and deleted with them.

-- The item's content that the canvas has read. If it is null or not `content_sha256`, the canvas must read the item.
alter table source_items add column canvas_sha256 bytea;

create index source_items_unread on source_items (organization_id, source_id, id)
  where canvas_sha256 is distinct from content_sha256;

-- Changes to an organization's canvas lock its row. The process that reads items for it holds the lease.
create table canvas_work (
  organization_id uuid primary key references organizations (id),
  lease_id uuid,
  lease_expires_at timestamptz
);

-- What a text can name: an address, a name, a handle, a channel, a domain, a topic. Several of them can be one person; each
-- query decides that from the items in scope. A source is also an entity, so that its items are counted the same way.
create table entities (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  type text not null check (type in ('person', 'organization', 'channel', 'topic', 'source')),
  -- The ID is derived from the organization and the key.
  key text not null,
  -- The form in which names are compared; null: it has none.
  alias text,
  -- How well this kind of name identifies an entity. Of two with the same alias, the lesser belongs to the greater.
  rank smallint not null,
  primary key (organization_id, id)
);

create index entities_by_alias on entities (organization_id, alias, id);

-- Entities that items name.
create table item_entities (
  organization_id uuid not null,
  source_item_id uuid not null,
  entity_id uuid not null,
  -- The item's source when it was read. The item counts for this source.
  source_id uuid not null,
  role text not null check (role in ('author', 'recipient', 'channel', 'mention', 'source')),
  -- The names that the item uses.
  names text[] not null,
  -- When the item last changed at its source.
  seen_at timestamptz not null,
  -- An index-only scan finds what an item names.
  primary key (organization_id, source_item_id, entity_id) include (source_id, role),
  foreign key (organization_id, source_item_id) references source_items (organization_id, id) on delete cascade,
  foreign key (organization_id, entity_id) references entities (organization_id, id),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index item_entities_newest on item_entities (organization_id, entity_id, source_id, seen_at desc, source_item_id);

-- The number of a source's items that name an entity, and how many of these the entity wrote.
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

-- The number of a source's items that use a name. Labels are chosen from these names, and they show which entities are the same.
create table entity_names (
  organization_id uuid not null,
  source_id uuid not null,
  entity_id uuid not null,
  name text not null,
  -- Equal for all spellings of the name; null if the name does not identify the entity.
  alias text,
  -- The words of the name, for lookups.
  words text not null,
  items integer not null,
  primary key (organization_id, entity_id, source_id, name),
  foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade
);

create index entity_names_by_alias on entity_names (organization_id, alias, source_id, entity_id);

create index entity_names_by_words on entity_names using gin (to_tsvector('simple', words));
