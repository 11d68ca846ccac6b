import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { recordEvent } from '../../audit/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import { prepare } from '../../database/prepared.ts'
import type { Row } from '../../database/schema.ts'
import { bearerToken, refusedToken } from '../../http/bearer.ts'
import { type Clock, minuteOf } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { hashSecret, newSecret } from '../../kernel/secret.ts'
import type { ConsoleCaller, ScimCaller } from '../../kernel/caller.ts'
import type { ScimToken } from './schemas.ts'

export interface ScimTokens {
  /** Newest first. */
  list(organizationId: string): Promise<ScimToken[]>
  /** @throws AppError `key_limit_reached` */
  create(caller: ConsoleCaller, name: string): Promise<{ scimToken: ScimToken; secret: string }>
  /** The token is refused from the next request on. @throws AppError `not_found` */
  revoke(caller: ConsoleCaller, id: string): Promise<{ scimToken: ScimToken; revokedAt: string }>
}

/** Two suffice to rotate a token. */
export const LIVE_TOKENS_MAX = 10
const PREFIX_CHARACTERS = 13

export function createScimTokens({ db, clock }: { db: Db; clock: Clock }): ScimTokens {
  return {
    async list(organizationId) {
      const rows = await selectLive(db, organizationId).orderBy('created_at', 'desc').orderBy('id').execute()
      return rows.map(toView)
    },
    create: (caller, name) => transact(db, (tx) => create(tx, caller, name, clock.now())),
    revoke: (caller, id) => transact(db, (tx) => revoke(tx, caller, id, clock.now())),
  }
}

async function create(tx: Tx, caller: ConsoleCaller, name: string, at: Date) {
  const { organizationId, userId } = caller
  await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const live = await selectLive(tx, organizationId).execute()
  if (live.length >= LIVE_TOKENS_MAX)
    throw new AppError(
      'key_limit_reached',
      `A workspace has at most ${LIVE_TOKENS_MAX} SCIM tokens; revoke one first`,
      { details: { used: live.length, limit: LIVE_TOKENS_MAX } },
    )
  const secret = newSecret('scim_')
  const row = await tx
    .insertInto('scim_tokens')
    .values({
      organization_id: organizationId,
      id: randomUUID(),
      name,
      prefix: secret.slice(0, PREFIX_CHARACTERS),
      secret_sha256: hashSecret(secret),
      created_by_user_id: userId,
      created_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await record(tx, caller, 'scim_token.create', row, at)
  return { scimToken: toView(row), secret }
}

async function revoke(tx: Tx, caller: ConsoleCaller, id: string, at: Date) {
  const row = await tx
    .updateTable('scim_tokens')
    .set({ revoked_at: at })
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such SCIM token')
  await record(tx, caller, 'scim_token.revoke', row, at)
  return { scimToken: toView(row), revokedAt: at.toISOString() }
}

async function record(
  tx: Tx,
  caller: ConsoleCaller,
  action: 'scim_token.create' | 'scim_token.revoke',
  { id, name, prefix }: Row<'scim_tokens'>,
  at: Date,
): Promise<void> {
  await recordEvent(tx, caller, {
    action,
    target: ['scim_token', id],
    metadata: { name, prefix },
    providers: [],
    at,
  })
}

interface TokenRow {
  organization_id: string
  id: string
  created_by_user_id: string
}

// The last use is written at most once a minute.
const findToken = prepare<TokenRow>(`
  with token as (
    select organization_id, id, created_by_user_id, last_used_at from scim_tokens
    where secret_sha256 = $1 and revoked_at is null
  ), used as (
    update scim_tokens set last_used_at = $2::timestamptz
    from token
    where scim_tokens.organization_id = token.organization_id and scim_tokens.id = token.id
      and (token.last_used_at is null or token.last_used_at < $2)
  )
  select organization_id, id, created_by_user_id from token`)

/** Finds the active token of an Authorization header. Nothing is cached. @throws AppError `unauthenticated` */
export async function authenticateScim(
  db: Db,
  clock: Clock,
  authorization: string | undefined,
): Promise<ScimCaller> {
  const secret = bearerToken(authorization, 'SCIM token')
  const { rows } = await findToken(db, [hashSecret(secret), minuteOf(clock.now())])
  const [token] = rows
  if (!token)
    throw refusedToken('The SCIM token is not valid: it was mistyped or revoked; create one in the console')
  const { organization_id: organizationId, id: tokenId, created_by_user_id: userId } = token
  return { kind: 'scim', organizationId, tokenId, userId }
}

function selectLive(db: Db, organizationId: string) {
  return db
    .selectFrom('scim_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where(sql<boolean>`revoked_at is null`)
}

function toView(row: Row<'scim_tokens'>): ScimToken {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    createdBy: row.created_by_user_id,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }
}
