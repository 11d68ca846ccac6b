-- Every transaction that changes the organization's canvas sets a new revision. A cached graph is valid as long as its
-- revision is current. Revisions are random, so that none repeats after a restore.
alter table canvas_work add column revision uuid;

-- Aliases come from names, so lookups by alias use entity_names.
drop index entities_by_alias;
