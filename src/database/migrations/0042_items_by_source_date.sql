-- For the list of stored items by their change at the source. `timeOf` of src/items/newest-items.ts has the same expression.
create index source_items_by_source_date on source_items
  (organization_id, source_id, source_kind, (coalesce(source_updated_at, source_created_at, updated_at)) desc, id);
