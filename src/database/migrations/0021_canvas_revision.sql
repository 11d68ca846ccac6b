-- Another one with every change of what the organization's canvas is drawn from, in the transaction that changes it: what was drawn
-- under it is still so as long as it stands. Random, so that none comes again where a backup is restored.
alter table canvas_work add column revision uuid;

-- Whoever goes by an alias has it of a name, so it is looked up there.
drop index entities_by_alias;
