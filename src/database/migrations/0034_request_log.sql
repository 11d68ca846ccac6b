-- Answered requests of API keys: what was called and how it ended, never what was sent or returned. The newest of each
-- workspace, for a few days; see src/request-log.
create table request_log (
  organization_id uuid not null references organizations (id),
  answered_at timestamptz not null,
  request_id uuid not null,
  -- No reference: keys are on the coordinator.
  api_key_id uuid not null,
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null check (duration_ms >= 0),
  credits smallint not null check (credits >= 0),
  is_mcp boolean not null,
  -- The only index: it lists the newest first, and writing more would cost every request.
  primary key (organization_id, answered_at, request_id)
);
