-- When the run began to only wait for its provider. It may have stored pages before.
alter table sync_runs add column waiting_since timestamptz;
