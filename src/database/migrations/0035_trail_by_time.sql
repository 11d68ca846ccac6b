-- Every retrieval writes to each index of the audit trail. A primary key in the order of the list replaces two of them.
alter table audit_events drop constraint audit_events_pkey;

alter table audit_events add constraint audit_events_pkey primary key (organization_id, created_at, id);

drop index audit_events_newest;
