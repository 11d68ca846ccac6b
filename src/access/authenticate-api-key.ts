import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { bearerToken, looksLike, refusedToken } from '../http/bearer.ts'
import { ACTIONS, ACTOR_TYPES } from '../kernel/actions.ts'
import { type Clock, minuteOf } from '../kernel/clock.ts'
import type { AppError } from '../kernel/errors.ts'
import type { AgentCaller } from '../kernel/caller.ts'
import { PROVIDERS } from '../providers/index.ts'
import { hashSecret } from '../kernel/secret.ts'

const KeyRow = z.object({
  organization_id: z.string(),
  id: z.string(),
  actor_type: z.enum(ACTOR_TYPES),
  allowed_actions: z.array(z.enum(ACTIONS)),
  allowed_providers: z.array(z.enum(PROVIDERS)).nullable(),
  beyond_plan: z.boolean(),
  requires_user: z.boolean(),
  seen_revision: z.number().optional(),
})

/** The lookup of `admit-agent.ts` without an action: it counts nothing. */
const findKey = prepare(`
  select organization_id, id, actor_type, allowed_actions, allowed_providers, beyond_plan,
    key_requires_user(organization_id, id) as requires_user
  from admit_key($1, $2, $3, null, '{}', 0, 0, 0)`)

const NOT_VALID =
  'The API key is not valid: it was mistyped or revoked, or belongs to another deployment; create a new one'

/** Finds the active API key of a header and records its use, to the minute. @throws AppError `unauthenticated` */
export async function authenticateApiKey(
  db: Db,
  clock: Clock,
  authorization: string | undefined,
): Promise<AgentCaller> {
  const secret = secretOf(authorization)
  const now = clock.now()
  const { rows } = await findKey(db, [secret, now, minuteOf(now)])
  const caller = toCaller(rows[0])
  if (caller === null) throw invalidKey()
  return caller
}

/** The hash of the secret in an Authorization header. @throws AppError `unauthenticated` without an API key */
export function secretOf(authorization: string | undefined): Buffer {
  const bearer = bearerToken(authorization, 'API key')
  refuseOtherTokens(bearer)
  return hashSecret(bearer)
}

export function invalidKey(): AppError {
  return refusedToken(NOT_VALID)
}

/** The caller of a key's row; null unless the key is active. */
export function toCaller(row: unknown): AgentCaller | null {
  const parsed = KeyRow.safeParse(row)
  if (!parsed.success) return null
  const key = parsed.data
  return {
    kind: 'agent',
    organizationId: key.organization_id,
    apiKeyId: key.id,
    actorType: key.actor_type,
    allowedActions: key.allowed_actions,
    allowedProviders: key.allowed_providers,
    ...(key.beyond_plan ? { isBeyondPlan: true } : {}),
    ...(key.requires_user ? { requiresUser: true } : {}),
    ...(key.seen_revision === undefined ? {} : { seenRevision: key.seen_revision }),
  }
}

/** Malformed keys get a specific error; invalid ones always the same, so that callers cannot probe for keys. */
function refuseOtherTokens(bearer: string): void {
  switch (looksLike(bearer)) {
    case 'API key':
      return
    case 'JWT':
      throw refusedToken(
        "This is a person's token, which only routes under /v1/console accept; send an API key (svc_…) here",
      )
    case 'something else':
      throw refusedToken('This does not look like an API key, which begins with svc_')
  }
}
