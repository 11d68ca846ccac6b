-- Who was invited into a workspace and has not come yet. Of the link's secret only the hash is kept; one that was used stays until
-- it expires, so that the same person may open the link twice.
create table invitations (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  secret_sha256 bytea not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  -- In lower case; null: whoever has the link.
  email text,
  created_by_user_id uuid not null references users (id),
  accepted_by_user_id uuid references users (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (organization_id, id)
);

create index invitations_by_secret on invitations (secret_sha256);

-- What the identity provider says of the address: an invitation for an address is for whoever has it.
alter table users add column email_verified boolean not null default false;

-- The trail by action, by who acted and by what it was done to, newest first: a filter walks over nothing else.
create index audit_events_by_action on audit_events (organization_id, action, created_at desc, id desc);

create index audit_events_by_actor on audit_events (organization_id, coalesce(actor_user_id, actor_api_key_id), created_at desc, id desc);

create index audit_events_by_target on audit_events (organization_id, target_id, created_at desc, id desc);
