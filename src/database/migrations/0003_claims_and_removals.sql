-- Items that several accounts see, and sources whose removal takes a while.

-- A row is a source's claim on an item that its runs brought; the item stays as long as somebody has one. `external_id` is
-- the item's own: in its order connectors walk what they have.
alter table synced_items add column source_id uuid;

alter table synced_items add column external_id text collate "C";

-- The item carried an access policy when this source last read it: not every account is told who may see a file.
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

-- Nobody walks items in the order of their names any more.
create index source_items_by_source on source_items (organization_id, source_id, id);

drop index source_items_by_source_and_name;

-- When a person removed it. What it brought goes bit by bit and is shown to nobody meanwhile, then the row goes.
alter table sources add column removed_at timestamptz;

create index sources_removed on sources (removed_at) where removed_at is not null;
