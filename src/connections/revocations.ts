import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import {
  type ConnectedAccount,
  type Credentials,
  type ProviderAdapters,
  findProvider,
  providers,
  usesOAuth,
} from '../providers/index.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { hasAccount } from '../sources/index.ts'
import { contextOf, dropCredentials, openCredentials } from './credentials.ts'
import type { SecretCipher } from '../kernel/secret-cipher.ts'
import { withoutSecrets } from './without-secrets.ts'

const REVOKE_TIMEOUT_MS = 10_000
const ATTEMPTS_MAX = 12
const FIRST_RETRY_MS = 60_000
/** How long other workers skip a revocation. */
const HOLD_MS = 60_000
const AT_ONCE = 20

/** A grant that no source holds. */
export interface GrantToRevoke extends Pick<ConnectedAccount, 'externalAccountId' | 'credentials'> {
  organizationId: string
  provider: ProviderId
}

export interface Revocations {
  /** Schedules the revocation of a source's grant in the transaction that removes the source. */
  prepare(tx: Tx, source: SourceRef): Promise<void>
  /** Schedules the revocation of a grant whose source was not created, or has a newer grant. */
  add(tx: Tx, grant: GrantToRevoke): Promise<void>
  /** Revokes due grants that no other source needs, with retries over about three days, in about ten seconds. */
  run(): Promise<void>
}

interface RevocationDependencies {
  db: Db
  clock: Clock
  cipher: SecretCipher
  adapters: ProviderAdapters
  /** Receives failures, without tokens. */
  onFailure(error: unknown): void
}

/** Revokes grants at the provider once no source depends on them. */
export function createRevocations(deps: RevocationDependencies): Revocations {
  const { db, clock, cipher } = deps
  return {
    async prepare(tx, source) {
      await sql`
        insert into grant_revocations (organization_id, id, provider, external_account_id, ciphertext, next_attempt_at)
        select s.organization_id, s.id, s.provider, s.external_account_id, c.ciphertext, ${clock.now()}
        from sources s
        join source_credentials c on c.organization_id = s.organization_id and c.source_id = s.id
        where s.organization_id = ${source.organizationId} and s.id = ${source.sourceId}
        on conflict do nothing`.execute(tx)
      await dropCredentials(tx, source)
    },
    async add(tx, { organizationId, provider, externalAccountId, credentials }) {
      // Not the source's id: if the source is removed too, its own grant uses that id.
      const id = randomUUID()
      await tx
        .insertInto('grant_revocations')
        .values({
          organization_id: organizationId,
          id,
          provider,
          external_account_id: externalAccountId,
          ciphertext: cipher.encrypt(
            JSON.stringify(credentials),
            contextOf({ organizationId, sourceId: id }),
          ),
          next_attempt_at: clock.now(),
        })
        .execute()
    },
    async run() {
      const due = await takeDue(db, clock.now(), deps.adapters.offered)
      await Promise.all(due.map((row) => attempt(deps, row)))
    },
  }
}

async function attempt(deps: RevocationDependencies, row: Row<'grant_revocations'>): Promise<void> {
  try {
    await revoke(deps, row)
    await remove(deps.db, row)
  } catch (error) {
    deps.onFailure(error)
    if (row.attempts >= ATTEMPTS_MAX) await remove(deps.db, row)
  }
}

/** Due revocations. Taking one doubles its delay. Another worker may take some first. */
async function takeDue(
  db: Db,
  now: Date,
  offered: readonly ProviderId[],
): Promise<Row<'grant_revocations'>[]> {
  if (offered.length === 0) return []
  const due = await db
    .selectFrom('grant_revocations')
    .select(['organization_id', 'id', 'attempts'])
    .where('next_attempt_at', '<=', now)
    .where('provider', 'in', [...offered])
    .orderBy('next_attempt_at')
    .limit(AT_ONCE)
    .execute()
  const taken: Row<'grant_revocations'>[] = []
  for (const { organization_id: organizationId, id, attempts } of due) {
    // The next attempt's time is computed here: Citus cannot add a column's interval to a time.
    const row = await db
      .updateTable('grant_revocations')
      .set({
        attempts: attempts + 1,
        next_attempt_at: new Date(now.getTime() + HOLD_MS + FIRST_RETRY_MS * 2 ** attempts),
      })
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .where('next_attempt_at', '<=', now)
      .returningAll()
      .executeTakeFirst()
    if (row) taken.push(row)
  }
  return taken
}

async function revoke(
  { db, cipher, adapters }: RevocationDependencies,
  row: Row<'grant_revocations'>,
): Promise<void> {
  const adapter = adapters.get(row.provider)
  if (!usesOAuth(adapter)) return
  const source = { organizationId: row.organization_id, sourceId: row.id }
  const credentials = openCredentials(cipher, row.ciphertext, source)
  if (await isShared(db, cipher, row, credentials)) return
  try {
    await adapter.revoke(credentials, AbortSignal.timeout(REVOKE_TIMEOUT_MS))
  } catch (error) {
    throw withoutSecrets(error, [credentials.accessToken, credentials.refreshToken])
  }
}

/** Whether the revocation would disconnect another source, in any workspace. */
async function isShared(
  db: Db,
  cipher: SecretCipher,
  row: Row<'grant_revocations'>,
  credentials: Credentials,
): Promise<boolean> {
  const { grants } = findProvider(row.provider)
  const family = providers.filter((provider) => provider.grants?.family === grants?.family)
  const others = await db
    .selectFrom('sources')
    .leftJoin('source_credentials', (join) =>
      join
        .onRef('source_credentials.organization_id', '=', 'sources.organization_id')
        .onRef('source_credentials.source_id', '=', 'sources.id'),
    )
    .select(['sources.organization_id', 'sources.id', 'source_credentials.ciphertext'])
    .where(
      'provider',
      'in',
      family.map(({ id }) => id),
    )
    .where('external_account_id', '=', row.external_account_id)
    .where(hasAccount())
    .execute()
  const isOne = grants?.isShared
  if (!isOne) return others.length > 0
  return others.some(({ organization_id: organizationId, id: sourceId, ciphertext }) => {
    if (ciphertext === null) return false
    return isOne(credentials, openCredentials(cipher, ciphertext, { organizationId, sourceId }))
  })
}

async function remove(db: Db, row: Row<'grant_revocations'>): Promise<void> {
  await db
    .deleteFrom('grant_revocations')
    .where('organization_id', '=', row.organization_id)
    .where('id', '=', row.id)
    .execute()
}
