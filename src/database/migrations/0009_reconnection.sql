-- Whether a failed run met a grant that has ended: a person has to connect the account again, and waiting mends nothing.
alter table sync_runs add column needs_reconnection boolean not null default false;
