-- Why a run or an item failed, as a code, because messages come from the provider and can change. Null: no code fits.
alter table sources add column error_code text;
alter table sync_runs add column error_code text;
alter table sync_run_failures add column code text;

-- The item's name, if known.
alter table sync_run_failures add column title text;

-- Number of items that the source's runs could not read, counted when a run ends. Null: not counted yet.
alter table sources add column items_skipped integer;

update sync_runs set error_code = 'access_ended' where needs_reconnection;
update sources s set error_code = 'access_ended' from sync_runs r
where r.organization_id = s.organization_id and r.source_id = s.id and r.needs_reconnection
  and s.status = 'error' and r.error_message = s.error_message;

-- Finds the deletion of an item by its external ID, the only name that remains.
create index audit_events_of_deleted_items on audit_events
  (organization_id, (metadata ->> 'externalId'), created_at desc) where action = 'source_item.delete';
