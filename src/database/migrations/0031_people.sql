-- People of an organization's directory, as its identity provider provisions them (SCIM).
create table people (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- Their userName and their primary address, in lower case: what they are found by.
  login text not null,
  email text,
  external_id text,
  active boolean not null,
  -- What SCIM shows of them again; empty once they are deleted.
  resource jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Deleted people keep their addresses, so that they do not become strangers who may ask again.
  deleted_at timestamptz,
  primary key (organization_id, id),
  check (deleted_at is null or not active)
);

create unique index people_one_per_login on people (organization_id, login) where deleted_at is null;

create index people_by_login on people (organization_id, login);

create index people_by_email on people (organization_id, email);

create index people_by_external_id on people (organization_id, external_id) where deleted_at is null;

-- Groups that policies name by their id.
create table person_groups (
  organization_id uuid not null references organizations (id),
  id text not null,
  -- The id by which SCIM names it, whatever it is called.
  key uuid not null,
  name text,
  origin text not null check (origin in ('api', 'scim')),
  external_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);

create unique index person_groups_by_key on person_groups (organization_id, key);

-- Who belongs to what: a group, a source's group or workspace on the left, an address, a domain or another group on the right.
create table principal_members (
  organization_id uuid not null references organizations (id),
  principal text not null,
  member text not null,
  -- Whose polls keep it; null: the organization itself.
  source_id uuid,
  primary key (organization_id, principal, member)
);

create index principal_members_by_member on principal_members (organization_id, member);

create index principal_members_by_source on principal_members (organization_id, source_id) where source_id is not null;

-- Bearer tokens of identity providers for SCIM.
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

-- Reading of who may see what at a provider, apart from the contents.
create table permission_polls (
  organization_id uuid not null,
  source_id uuid not null,
  -- When it last succeeded; null: not yet.
  checked_at timestamptz,
  next_at timestamptz not null,
  -- Why the last one failed; null: it did not.
  error_message text,
  lease_id uuid,
  lease_expires_at timestamptz,
  primary key (organization_id, source_id)
);

create index permission_polls_due on permission_polls (next_at);

-- Who may read what a source brought that cannot tell itself. JSON: "everyone", "connector" or addresses; null: "connector".
alter table sources add column audience text;

-- The address of the person who connected it, as their identity provider verified it.
alter table sources add column connected_by text;

-- Sources that are there are polled at once.
insert into permission_polls (organization_id, source_id, next_at)
select organization_id, id, now() from sources where not push_only and removed_at is null;
