import type { ProviderId } from '../kernel/provider-id.ts'
import { providers } from '../providers/index.ts'

const ACTIONS = [
  'search.retrieve',
  'context.retrieve',
  'ask.retrieve',
  'api_key.create',
  'api_key.revoke',
  'audit.export',
  'billing.checkout.create',
  'billing.portal.create',
  'connector.allowlist.update',
  'connector.authorize',
  'connector.connect',
  'connector_access.grant',
  'connector_access.request',
  'maintenance.reembed.start',
  'organization.create',
  'organization.export',
  'organization.update',
  'organization.permissions.update',
  'permissions.preview',
  'member.invite',
  'member.join',
  'member.update',
  'member.remove',
  'invitation.revoke',
  'source.create',
  'source.update',
  'source.disable',
  'source.enable',
  'source.delete',
  'source.audience.update',
  'group.update',
  'group.delete',
  'person.provision',
  'person.update',
  'person.deactivate',
  'person.delete',
  'scim_token.create',
  'scim_token.revoke',
  'source_item.ingest',
  'source_item.delete',
  'source_item.sync',
  'sync_run.create',
  'thread.create',
  'thread.update',
  'thread.feedback',
  'thread.delete',
  'evaluation_question.suggest',
  'evaluation_question.update',
  'evaluation_question.delete',
  'evaluation_run.create',
  'evaluation_run.update',
  'evaluation_run.delete',
  'webhook.create',
  'webhook.update',
  'webhook.rotate',
  'webhook.delete',
  'webhook.test',
  'webhook.replay',
] as const

type CleanUpAction = `maintenance.${ProviderId}.${string}`
export type AuditAction = (typeof ACTIONS)[number] | CleanUpAction

export function cleanUpAction(provider: ProviderId, job: string): CleanUpAction {
  return `maintenance.${provider}.${job.replaceAll('-', '_')}`
}

/** Every action of the audit trail; docs/reference/audit.md documents each. */
export const AUDIT_ACTIONS: readonly AuditAction[] = [
  ...ACTIONS,
  ...providers.flatMap(({ id, cleanUps = [] }) => cleanUps.map(({ name }) => cleanUpAction(id, name))),
]
