-- Every retrieval writes an audit event, and checking the reference locked the organization's row each time. The check is
-- redundant: the same statement has just updated the organization's subscription, and a removed organization has none.
alter table audit_events drop constraint audit_events_organization_id_fkey;
