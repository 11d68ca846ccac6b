import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { AdmittedAgent, AgentRequest } from '../http/gates.ts'
import { inBatches } from '../kernel/batches.ts'
import { type Clock, minuteOf } from '../kernel/clock.ts'
import type { RateLimit } from '../rate-limits/index.ts'
import { invalidKey, secretOf, toCaller } from './authenticate-api-key.ts'

export type AdmitAgent = (authorization: string | undefined, request: AgentRequest) => Promise<AdmittedAgent>

/** The statement's word for an action that reaches no particular provider. */
const EVERY_PROVIDER = '*'

const Admission = z.discriminatedUnion('may', [
  z.object({ may: z.literal(false) }),
  z.object({
    may: z.literal(true),
    uncapped: z.boolean().nullable(),
    // Null: the limit was reached.
    admitted: z.number().nullable(),
    used: z.number().nullable(),
    reset_ms: z.number().nullable(),
  }),
])

const admitKey = prepare(`
  select organization_id, id, actor_type, allowed_actions, allowed_providers, beyond_plan,
    may, uncapped, admitted, used, reset_ms, item_revision(organization_id) as seen_revision,
    key_requires_user(organization_id, id) as requires_user
  from admit_key($1, $2, $3, $4, $5::text[], $6, $7, $8)`)

interface PendingAdmission extends AgentRequest {
  secret: Buffer
}

/**
 * Reads a request's key, its rate window, whether a hard cap applies and the revision of the items, and records when
 * the key was last used, all in one statement (migrations 0022, 0026 and 0030). Requests of one key that arrive while
 * it runs are counted together by the next one, instead of waiting for each other's row lock. Nothing is cached: a
 * revoked key is refused from the next request on.
 */
export function createAdmitAgent({
  db,
  clock,
  rateLimit,
}: {
  db: Db
  clock: Clock
  rateLimit: Pick<RateLimit, 'limitPerMinute' | 'slotMs' | 'outcomes'>
}): AdmitAgent {
  const admit = inBatches<PendingAdmission, AdmittedAgent>({
    keyOf: ({ secret, action, reach }) => `${secret.toString('base64')} ${action} ${String(reach)}`,
    async run(pending) {
      const [{ secret, action, reach }] = pending
      const now = clock.now()
      const reached = reach === null ? [EVERY_PROVIDER] : (reach ?? [])
      const { limitPerMinute, slotMs } = rateLimit
      const values = [secret, now, minuteOf(now), action, reached, limitPerMinute, slotMs, pending.length]
      const [row] = (await admitKey(db, values)).rows
      const caller = toCaller(row)
      if (caller === null) return pending.map(invalidKey)
      const admission = Admission.parse(row)
      if (!admission.may) return pending.map(() => ({ caller, rateState: null, uncappedAt: null }))
      const { admitted, used, reset_ms } = admission
      const counted =
        admitted === null || used === null || reset_ms === null ? undefined : { admitted, used, reset_ms }
      const subject = { organizationId: caller.organizationId, subjectId: caller.apiKeyId }
      const outcomes = await rateLimit.outcomes({ subject, action }, counted, pending.length)
      const uncappedAt = admission.uncapped ? now : null
      return outcomes.map((rateState) => ({ caller, rateState, uncappedAt }))
    },
  })
  return async (authorization, request) => await admit({ ...request, secret: secretOf(authorization) })
}
