-- Why a run or an item failed, as a code: messages are the provider's and may be reworded. Null: no code fits.
alter table sources add column error_code text;
alter table sync_runs add column error_code text;
alter table sync_run_failures add column code text;

-- The name of the item, where it is known.
alter table sync_run_failures add column title text;

-- What the source's runs could not read, counted when a run ends. Null: not counted yet.
alter table sources add column items_skipped integer;

update sync_runs set error_code = 'access_ended' where needs_reconnection;
update sources s set error_code = 'access_ended' from sync_runs r
where r.organization_id = s.organization_id and r.source_id = s.id and r.needs_reconnection
  and s.status = 'error' and r.error_message = s.error_message;

-- Who deleted an item, by the only name of it that stays.
create index audit_events_of_deleted_items on audit_events
  (organization_id, (metadata ->> 'externalId'), created_at desc) where action = 'source_item.delete';
