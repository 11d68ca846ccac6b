import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { ACTIONS, ACTOR_TYPES } from '../kernel/actions.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { AgentPrincipal } from '../kernel/principal.ts'
import { PROVIDERS } from '../providers/index.ts'
import { hashSecret } from './api-key-secret.ts'

const KeyRow = z.object({
  organization_id: z.string(),
  id: z.string(),
  actor_type: z.enum(ACTOR_TYPES),
  allowed_actions: z.array(z.enum(ACTIONS)),
  allowed_providers: z.array(z.enum(PROVIDERS)).nullable(),
})

/**
 * Finds the live API key behind a bearer token and notes its use, to the minute. One statement and no cache, so that a
 * revoked key is refused from the very next request on.
 * @throws AppError `unauthenticated`, with the same words whatever is wrong.
 */
export async function authenticateApiKey(
  db: Db,
  clock: Clock,
  bearer: string | undefined,
): Promise<AgentPrincipal> {
  if (bearer === undefined || !bearer.startsWith('svc_')) throw unauthenticated()
  const minute = new Date(Math.floor(clock.now().getTime() / 60_000) * 60_000)
  const { rows } = await sql`
    with key as (
      select organization_id, id, actor_type, allowed_actions, allowed_providers, last_used_at
      from api_keys
      where secret_sha256 = ${hashSecret(bearer)} and revoked_at is null
    ), used as (
      update api_keys set last_used_at = ${minute}
      from key
      where api_keys.organization_id = key.organization_id and api_keys.id = key.id
        and (key.last_used_at is null or key.last_used_at < ${minute})
    )
    select organization_id, id, actor_type, allowed_actions, allowed_providers from key`.execute(db)
  const parsed = KeyRow.safeParse(rows[0])
  if (!parsed.success) throw unauthenticated()
  const key = parsed.data
  return {
    kind: 'agent',
    organizationId: key.organization_id,
    apiKeyId: key.id,
    actorType: key.actor_type,
    allowedActions: key.allowed_actions,
    allowedProviders: key.allowed_providers,
  }
}

function unauthenticated(): AppError {
  return new AppError('unauthenticated', 'Send a live API key as Authorization: Bearer svc_…', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}
