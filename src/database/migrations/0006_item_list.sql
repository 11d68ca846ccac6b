-- The list of what is stored: the newest of each source and kind, so that neither what is out of a key's scope nor what another
-- filter asks for is walked over.
create index source_items_by_change on source_items (organization_id, source_id, source_kind, updated_at desc, id);
