-- An organization that is being removed: nobody sees it any more, its rows are deleted bit by bit, and this one last. Whoever holds the
-- lease deletes; one that ran out may be taken over.
alter table organizations add column removed_at timestamptz;

alter table organizations add column removal_lease_id uuid;

alter table organizations add column removal_lease_expires_at timestamptz;

create index organizations_being_removed on organizations (removed_at) where removed_at is not null;
