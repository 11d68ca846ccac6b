-- Open invitations to a workspace. Only the hash of the link's secret is stored. A used invitation stays until it expires, so
-- that the same person can open the link twice.
create table invitations (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  secret_sha256 bytea not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  -- In lower case; null: anyone with the link.
  email text,
  created_by_user_id uuid not null references users (id),
  accepted_by_user_id uuid references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (organization_id, id)
);

create index invitations_by_secret on invitations (secret_sha256);

-- Whether the identity provider has verified the address. Only its owner can accept an invitation for it.
alter table users add column email_verified boolean not null default false;

-- The audit trail by action, by actor and by target, newest first, so that a filter reads only its own events.
create index audit_events_by_action on audit_events (organization_id, action, created_at desc, id desc);

create index audit_events_by_actor on audit_events (organization_id, coalesce(actor_user_id, actor_api_key_id), created_at desc, id desc);

create index audit_events_by_target on audit_events (organization_id, target_id, created_at desc, id desc);
