-- When the removal of the organization began. It is hidden at once, and its rows are deleted in steps, this one last. The process
-- with the lease deletes them. Another process can acquire an expired lease.
alter table organizations add column removed_at timestamptz;

alter table organizations add column removal_lease_id uuid;

alter table organizations add column removal_lease_expires_at timestamptz;

create index organizations_being_removed on organizations (removed_at) where removed_at is not null;
