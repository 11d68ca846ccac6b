-- The items that a run found are the sum of stored, unchanged, deleted and skipped ones. For earlier runs, unchanged and
-- skipped are estimated.
alter table sync_runs add column items_unchanged integer not null default 0;
alter table sync_runs add column items_skipped integer not null default 0;
update sync_runs set items_skipped = items_failed,
  items_unchanged = greatest(items_discovered - items_ingested - items_deleted - items_failed, 0);
