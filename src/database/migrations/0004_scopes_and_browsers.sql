-- Which audit events a key with a provider scope sees, and in which browser an OAuth flow began.

-- Providers whose items, sources or query results the event names. Null: unknown; only keys without a scope see the event.
alter table audit_events add column providers text[];

update audit_events e
set providers = case
  when action in ('api_key.create', 'api_key.revoke', 'organization.create', 'maintenance.reembed.start') then '{}'::text[]
  when action in ('connector.allowlist.update', 'maintenance.slack.cleanup_system_events') then '{slack}'::text[]
  when action = 'context.retrieve' and jsonb_typeof(metadata -> 'providers') = 'array'
    then array(select jsonb_array_elements_text(metadata -> 'providers'))
  when metadata ? 'provider' then array[metadata ->> 'provider']
  when action in ('source.update', 'source.disable', 'source.enable') then (
    select array[s.provider] from sources s where s.organization_id = e.organization_id and s.id::text = e.target_id)
  when action = 'sync_run.create' then (
    select array[s.provider] from sources s
    where s.organization_id = e.organization_id and s.id::text = e.metadata ->> 'connectorId')
end;

-- SHA-256 of the cookie in the browser that began the flow.
alter table oauth_states add column browser_sha256 bytea;
