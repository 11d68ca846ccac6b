-- What a run leaves out although nothing failed: pictures, and files without text. They are no failures of the run.
alter table sync_run_failures add column is_skip boolean not null default false;
