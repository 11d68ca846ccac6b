-- Items that a run skips without failing: pictures and files without text. They do not count as failures.
alter table sync_run_failures add column is_skip boolean not null default false;
