-- Every retrieval pays for each index of the trail. A key in the order of the list takes the place of two.
alter table audit_events drop constraint audit_events_pkey;

alter table audit_events add constraint audit_events_pkey primary key (organization_id, created_at, id);

drop index audit_events_newest;
