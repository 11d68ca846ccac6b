-- Pages of one source's history, even if other sources have far more runs.
create index sync_runs_of_source on sync_runs (organization_id, source_id, created_at desc, id desc);
