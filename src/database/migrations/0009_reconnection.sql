-- Whether a run failed because its grant has ended. A person must connect the account again; waiting does not help.
alter table sync_runs add column needs_reconnection boolean not null default false;
