import type { ProviderId } from '../kernel/provider-id.ts'
import { providers } from '../providers/index.ts'
import { ACTION_WORDS } from './action-words.ts'

type CleanUpAction = `maintenance.${ProviderId}.${string}`
type NamedAction = keyof typeof ACTION_WORDS
export type AuditAction = NamedAction | CleanUpAction

export function cleanUpAction(provider: ProviderId, job: string): CleanUpAction {
  return `maintenance.${provider}.${job.replaceAll('-', '_')}`
}

/** Every action of the audit trail; docs/reference/audit.md documents each. */
export const AUDIT_ACTIONS: readonly string[] = [
  ...Object.keys(ACTION_WORDS),
  ...providers.flatMap(({ id, cleanUps = [] }) => cleanUps.map(({ name }) => cleanUpAction(id, name))),
]
