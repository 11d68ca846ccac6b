import { ACTION_WORDS } from '../../../../src/audit/action-words.ts'
import type { operations } from '../../api/schema.d.ts'

/** The actions that the service records. */
export type AuditAction = NonNullable<
  NonNullable<operations['consoleListAuditEvents']['parameters']['query']>['action']
>

export const AUDIT_ACTIONS: Record<AuditAction, string> = {
  ...ACTION_WORDS,
  'maintenance.slack.cleanup_system_events': 'Ran the Slack clean-up',
}

export function isAction(value: unknown): value is AuditAction {
  return typeof value === 'string' && Object.hasOwn(AUDIT_ACTIONS, value)
}

/** An action's description. An unknown action of a later version keeps its name. */
export function describeAction(action: string): string {
  return Object.entries(AUDIT_ACTIONS).find(([known]) => known === action)?.[1] ?? action
}
