-- Since when a run has only waited for its provider, which is not since it began: it may have stored pages before.
alter table sync_runs add column waiting_since timestamptz;
