import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { ProviderAdapters } from '../sources/index.ts'
import { openCredentials } from './credentials.ts'
import type { TokenCipher } from './token-cipher.ts'

const REVOKE_TIMEOUT_MS = 10_000
const ATTEMPTS_MAX = 12
const FIRST_RETRY_MS = 60_000
/** Another worker does not try the same one while this one does. */
const HOLD_MS = 60_000
const AT_ONCE = 20

export interface Revocations {
  /** Notes, in the transaction that removes a source, that its grant has to be ended at the provider. */
  prepare(tx: Tx, source: { organizationId: string; id: string }): Promise<void>
  /** Ends the grants that are due; what fails is tried again later, a dozen times over about three days. */
  run(): Promise<void>
}

/** Providers whose grants are one: revoking one of them at Google ends the app's access to the account altogether. */
const FAMILIES: readonly (readonly ProviderId[])[] = [['google_drive', 'gmail']]

/** Ends grants at the provider once their sources are gone. */
export function createRevocations(deps: {
  db: Db
  clock: Clock
  cipher: TokenCipher
  adapters: ProviderAdapters
  onFailure(error: unknown): void
}): Revocations {
  const { db, clock } = deps
  return {
    async prepare(tx, source) {
      await sql`
        insert into grant_revocations (organization_id, id, provider, external_account_id, ciphertext, next_attempt_at)
        select s.organization_id, s.id, s.provider, s.external_account_id, c.ciphertext, ${clock.now()}
        from sources s
        join source_credentials c on c.organization_id = s.organization_id and c.source_id = s.id
        where s.organization_id = ${source.organizationId} and s.id = ${source.id}
        on conflict do nothing`.execute(tx)
    },
    async run() {
      for (const row of await takeDue(db, clock.now(), deps.adapters.offered)) {
        try {
          await revoke(deps, row)
          await remove(db, row)
        } catch (error) {
          deps.onFailure(error)
          if (row.attempts >= ATTEMPTS_MAX) await remove(db, row)
        }
      }
    },
  }
}

/** Due revocations; each is due again later, each time after twice as long. */
async function takeDue(
  db: Db,
  now: Date,
  offered: readonly ProviderId[],
): Promise<Row<'grant_revocations'>[]> {
  if (offered.length === 0) return []
  const { rows } = await sql<Row<'grant_revocations'>>`
    update grant_revocations g
    set attempts = attempts + 1,
      next_attempt_at = ${now}::timestamptz
        + make_interval(secs => (${HOLD_MS} + ${FIRST_RETRY_MS} * power(2, attempts))::float8 / 1000)
    from (
      select organization_id, id from grant_revocations
      where next_attempt_at <= ${now} and provider in (${sql.join(offered)})
      order by next_attempt_at limit ${AT_ONCE} for update skip locked
    ) due
    where g.organization_id = due.organization_id and g.id = due.id
    returning g.*`.execute(db)
  return rows
}

async function revoke(
  { db, cipher, adapters }: { db: Db; cipher: TokenCipher; adapters: ProviderAdapters },
  row: Row<'grant_revocations'>,
): Promise<void> {
  if (await isShared(db, row)) return
  const source = { organizationId: row.organization_id, sourceId: row.id }
  const credentials = openCredentials(cipher, row.ciphertext, source)
  await adapters.get(row.provider).revoke(credentials, AbortSignal.timeout(REVOKE_TIMEOUT_MS))
}

/** Whether another source, of any workspace, lives on the same grant: it must not be cut off. */
async function isShared(db: Db, row: Row<'grant_revocations'>): Promise<boolean> {
  const family = FAMILIES.find((providers) => providers.includes(row.provider)) ?? [row.provider]
  const other = await db
    .selectFrom('sources')
    .select('id')
    .where('provider', 'in', [...family])
    .where('external_account_id', '=', row.external_account_id)
    .where('push_only', '=', false)
    .executeTakeFirst()
  return other !== undefined
}

async function remove(db: Db, row: Row<'grant_revocations'>): Promise<void> {
  await db
    .deleteFrom('grant_revocations')
    .where('organization_id', '=', row.organization_id)
    .where('id', '=', row.id)
    .execute()
}
