-- For the list of stored items: the newest of each source and kind, so that a query reads no items outside the key's scope
-- or the filter.
create index source_items_by_change on source_items (organization_id, source_id, source_kind, updated_at desc, id);
