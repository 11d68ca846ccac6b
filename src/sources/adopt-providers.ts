import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { StartupError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { insertFirstSources } from './push-only.ts'

/** Applies a changed PROVIDERS setting at start: adds push-only sources, removes empty ones. @throws StartupError */
export async function adoptProviders(db: Db, named: readonly ProviderId[], at: Date): Promise<void> {
  await transact(db, async (tx) => {
    // Instances that start together: the second finds nothing to do.
    await sql`select pg_advisory_xact_lock(hashtext('named_providers'))`.execute(tx)
    const rows = await tx.selectFrom('named_providers').select('provider').execute()
    const before = rows.map(({ provider }) => provider)
    const dropped = before.filter((provider) => !named.includes(provider))
    if (dropped.length > 0) await drop(tx, dropped)
    for (const provider of named) if (!before.includes(provider)) await add(tx, provider, at)
  })
}

async function drop(tx: Tx, dropped: readonly ProviderId[]): Promise<void> {
  const used = await findUses(tx, dropped)
  if (used.length > 0)
    throw new StartupError(
      `PROVIDERS must name ${used.map(({ provider, uses }) => `${provider}, which has ${uses}`).join('; ')}. ` +
        'To leave a provider out, first start the service with it and remove these',
    )
  await tx.deleteFrom('sources').where('push_only', '=', true).where('provider', 'in', dropped).execute()
  await tx.deleteFrom('named_providers').where('provider', 'in', dropped).execute()
}

async function findUses(
  tx: Tx,
  providers: readonly ProviderId[],
): Promise<{ provider: ProviderId; uses: string }[]> {
  const found: { provider: ProviderId; uses: string }[] = []
  for (const provider of providers) {
    const { rows } = await sql<{ sources: number; keys: number }>`
      select
        (select count(*)::int from sources s
         where s.provider = ${provider} and (not s.push_only or exists (
           select from source_items i where i.organization_id = s.organization_id and i.source_id = s.id))) as sources,
        (select count(*)::int from api_keys k
         where k.revoked_at is null and ${provider} = any (k.allowed_providers)) as keys`.execute(tx)
    const { sources = 0, keys = 0 } = rows[0] ?? {}
    if (sources + keys > 0)
      found.push({
        provider,
        uses: `${counted(sources, 'source')} with an account or items, and is in the scope of ${counted(keys, 'API key')}`,
      })
  }
  return found
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

async function add(tx: Tx, provider: ProviderId, at: Date): Promise<void> {
  const organizations = await tx
    .selectFrom('organizations')
    .select('id')
    .where('removed_at', 'is', null)
    .execute()
  const ids = organizations.map(({ id }) => id)
  await insertFirstSources(tx, ids, [provider], at)
  await tx.insertInto('named_providers').values({ provider }).execute()
}
