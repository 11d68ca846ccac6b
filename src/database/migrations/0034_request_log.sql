-- Answered requests of API keys: path and outcome, never contents. The newest of each workspace, for a few days. See
-- src/request-log.
create table request_log (
  organization_id uuid not null references organizations (id),
  answered_at timestamptz not null,
  request_id uuid not null,
  -- No reference, because keys are on the coordinator.
  api_key_id uuid not null,
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null check (duration_ms >= 0),
  credits smallint not null check (credits >= 0),
  is_mcp boolean not null,
  -- The only index, for the list by time. Every further index would slow each request.
  primary key (organization_id, answered_at, request_id)
);
