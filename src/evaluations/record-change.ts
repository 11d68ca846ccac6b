import { type AuditAction, recordEvent } from '../audit/index.ts'
import type { Tx } from '../database/database.ts'
import { actorOf, type ConsolePrincipal } from '../kernel/principal.ts'

/** Records a change in the audit trail; its metadata has no text of questions and answers. */
export async function recordChange(
  tx: Tx,
  caller: ConsolePrincipal,
  {
    action,
    target: [targetType, targetId],
    metadata,
    at,
  }: {
    action: AuditAction
    target: readonly [type: string, id: string]
    metadata: Record<string, unknown>
    at: Date
  },
): Promise<void> {
  const { organizationId } = caller
  const actor = actorOf(caller)
  await recordEvent(tx, { organizationId, actor, action, targetType, targetId, metadata, providers: [], at })
}
