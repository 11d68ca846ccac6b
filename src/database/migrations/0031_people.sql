-- People that an organization's identity provider provisions (SCIM).
create table people (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- The userName and the primary address, in lower case, for lookups.
  login text not null,
  email text,
  external_id text,
  active boolean not null,
  -- The SCIM resource, as it is returned; empty once the person is deleted.
  resource jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Deleted people keep their addresses, so that nobody can read on their behalf as an unknown person.
  deleted_at timestamptz,
  primary key (organization_id, id),
  check (deleted_at is null or not active)
);

create unique index people_one_per_login on people (organization_id, login) where deleted_at is null;

create index people_by_login on people (organization_id, login);

create index people_by_email on people (organization_id, email);

create index people_by_external_id on people (organization_id, external_id) where deleted_at is null;

-- Groups, which policies name by ID.
create table person_groups (
  organization_id uuid not null references organizations (id),
  id text not null,
  -- The group's ID in SCIM, independent of its name.
  key uuid not null,
  name text,
  origin text not null check (origin in ('api', 'scim')),
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);

create unique index person_groups_by_key on person_groups (organization_id, key);

-- Members of principals: on the left a group, a source's group or a source; on the right an address, a domain or a group.
create table principal_members (
  organization_id uuid not null references organizations (id),
  principal text not null,
  member text not null,
  -- The source whose polls maintain the row; null: the organization itself.
  source_id uuid,
  primary key (organization_id, principal, member)
);

create index principal_members_by_member on principal_members (organization_id, member);

create index principal_members_by_source on principal_members (organization_id, source_id) where source_id is not null;

-- Bearer tokens with which identity providers use SCIM.
create table scim_tokens (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  prefix text not null,
  secret_sha256 bytea not null,
  created_by_user_id uuid not null references users (id),
  last_used_at timestamptz,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (organization_id, id)
);

create index scim_tokens_by_secret on scim_tokens (secret_sha256);

-- Polls that read permissions at a provider, separately from contents.
create table permission_polls (
  organization_id uuid not null,
  source_id uuid not null,
  -- Last success; null: none yet.
  checked_at timestamptz,
  next_at timestamptz not null,
  -- Why the last poll failed; null: it did not.
  error_message text,
  lease_id uuid,
  lease_expires_at timestamptz,
  primary key (organization_id, source_id)
);

create index permission_polls_due on permission_polls (next_at);

-- Who may read a source's items if its provider does not report it. JSON: "everyone", "connector" or addresses; null:
-- "connector".
alter table sources add column audience text;

-- The verified address of the person who connected the source.
alter table sources add column connected_by text;

-- Existing sources are polled at once.
insert into permission_polls (organization_id, source_id, next_at)
select organization_id, id, now() from sources where not push_only and removed_at is null;
