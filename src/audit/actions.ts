/** Every action of the audit trail; docs/audit.md documents each. */
export const AUDIT_ACTIONS = [
  'context.retrieve',
  'api_key.create',
  'api_key.revoke',
  'billing.checkout.create',
  'billing.portal.create',
  'connector.allowlist.update',
  'connector.authorize',
  'connector.connect',
  'connector_access.request',
  'maintenance.slack.cleanup_system_events',
  'maintenance.reembed.start',
  'organization.create',
  'source.create',
  'source.update',
  'source.disable',
  'source.enable',
  'source.delete',
  'source_item.ingest',
  'source_item.delete',
  'sync_run.create',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]
