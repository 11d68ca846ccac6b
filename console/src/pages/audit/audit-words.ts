import type { operations } from '../../api/schema.d.ts'

/** The actions that the service records. */
export type AuditAction = NonNullable<
  NonNullable<operations['consoleListAuditEvents']['parameters']['query']>['action']
>

export const AUDIT_ACTIONS: Record<AuditAction, string> = {
  'search.retrieve': 'Searched',
  'context.retrieve': 'Retrieved a Context Contract',
  'ask.retrieve': 'Asked a question',
  'api_key.create': 'Created a key',
  'api_key.revoke': 'Revoked a key',
  'audit.export': 'Exported the audit trail',
  'billing.checkout.create': 'Started a checkout',
  'billing.portal.create': 'Opened the payment portal',
  'connector.allowlist.update': 'Chose the channels of a source',
  'connector.authorize': 'Started connecting an account',
  'connector.connect': 'Connected an account',
  'connector_access.grant': 'Allowed a gated provider',
  'connector_access.request': 'Requested a gated provider',
  'maintenance.reembed.start': 'Started a move to another embedding model',
  'maintenance.slack.cleanup_system_events': 'Ran the Slack clean-up',
  'organization.create': 'Created the workspace',
  'organization.export': 'Exported the workspace',
  'organization.update': 'Renamed the workspace',
  'organization.permissions.update': 'Changed whether permissions are enforced',
  'permissions.preview': 'Asked on behalf of a person',
  'member.invite': 'Invited a person',
  'member.join': 'Joined',
  'member.update': 'Changed the role of a member',
  'member.remove': 'Removed a member, or left',
  'invitation.revoke': 'Withdrew an invitation',
  'source.create': 'Created a source',
  'source.update': 'Renamed a source',
  'source.disable': 'Paused a source',
  'source.enable': 'Resumed a source',
  'source.delete': 'Deleted a source',
  'source.audience.update': 'Chose who reads a source',
  'group.update': 'Changed a group',
  'group.delete': 'Deleted a group',
  'person.provision': 'Provisioned a person',
  'person.update': 'Updated a person',
  'person.deactivate': 'Deactivated a person',
  'person.delete': 'Deleted a person',
  'scim_token.create': 'Created a SCIM token',
  'scim_token.revoke': 'Revoked a SCIM token',
  'source_item.ingest': 'Pushed documents',
  'source_item.delete': 'Deleted an item',
  'source_item.sync': 'Synced an item again',
  'thread.create': 'Saved a question',
  'thread.update': 'Saved a follow-up question',
  'thread.feedback': 'Rated an answer',
  'thread.delete': 'Deleted a thread',
  'evaluation_question.suggest': 'Added a rated question to the evaluation',
  'evaluation_question.update': 'Changed questions of the evaluation',
  'evaluation_question.delete': 'Deleted questions of the evaluation',
  'evaluation_run.create': 'Started an evaluation',
  'evaluation_run.update': 'Measured a question',
  'evaluation_run.delete': 'Deleted an evaluation run',
  'sync_run.create': 'Started a sync run',
  'webhook.create': 'Created a webhook',
  'webhook.update': 'Changed a webhook',
  'webhook.rotate': 'Rotated a webhook’s secret',
  'webhook.delete': 'Deleted a webhook',
  'webhook.test': 'Sent a test event',
  'webhook.replay': 'Replayed an event',
}

export function isAction(value: unknown): value is AuditAction {
  return typeof value === 'string' && Object.hasOwn(AUDIT_ACTIONS, value)
}

/** An action's description. An unknown action of a later version keeps its name. */
export function describeAction(action: string): string {
  return Object.entries(AUDIT_ACTIONS).find(([known]) => known === action)?.[1] ?? action
}
