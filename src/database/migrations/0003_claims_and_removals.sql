-- Items that several accounts share, and sources whose removal takes a while.

-- A row is a source's claim on an item that its runs stored. An item exists while at least one source claims it.
-- Connectors list their claims by `external_id`, a copy of the item's.
alter table synced_items add column source_id uuid;

alter table synced_items add column external_id text collate "C";

-- Whether the item had an access policy when this source last read it. Not every account can see a file's permissions.
alter table synced_items add column has_policy boolean not null default false;

update synced_items s
set source_id = i.source_id, external_id = i.external_id, has_policy = i.metadata ? 'accessPolicy'
from source_items i
where i.organization_id = s.organization_id and i.id = s.source_item_id;

alter table synced_items alter column source_id set not null;

alter table synced_items alter column external_id set not null;

alter table synced_items drop constraint synced_items_pkey;

alter table synced_items add primary key (organization_id, source_id, external_id);

alter table synced_items add foreign key (organization_id, source_id) references sources (organization_id, id) on delete cascade;

create index synced_items_by_item on synced_items (organization_id, source_item_id);

-- No query lists items by external ID any more.
create index source_items_by_source on source_items (organization_id, source_id, id);

drop index source_items_by_source_and_name;

-- When a person removed the source. Its items are hidden at once and deleted in steps; then the row is deleted.
alter table sources add column removed_at timestamptz;

create index sources_removed on sources (removed_at) where removed_at is not null;
