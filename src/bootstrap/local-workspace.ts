import { sql } from 'kysely'
import { describeSecret, insertApiKey, newApiKeySecret, type NewSecret } from '../access/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { ACTIONS } from '../kernel/actions.ts'
import type { Clock } from '../kernel/clock.ts'
import { insertOrganization } from '../organizations/index.ts'

const KEY_NAME = 'Local admin'

export interface LocalWorkspace {
  organizationId: string
  /** The admin key, only on the start that generated it. */
  newSecret: string | null
}

/** Creates the local workspace once. Each start applies the given key, and the key given before stops working. */
export async function ensureLocalWorkspace(
  db: Db,
  clock: Clock,
  givenKey: string | undefined,
): Promise<LocalWorkspace> {
  return await transact(db, async (tx) => {
    const at = clock.now()
    // Instances that start together on an empty database: the second finds the workspace of the first.
    await sql`select pg_advisory_xact_lock(hashtext('local_workspace'))`.execute(tx)
    const known = await tx
      .selectFrom('organizations')
      .select('id')
      .where('is_local', '=', true)
      .forUpdate()
      .executeTakeFirst()
    const organizationId = known?.id ?? (await makeWorkspace(tx, at))
    if (givenKey !== undefined) {
      await setKey(tx, organizationId, describeSecret(givenKey), at)
      return { organizationId, newSecret: null }
    }
    if (known) return { organizationId, newSecret: null }
    const secret = newApiKeySecret()
    await insertAdminKey(tx, organizationId, secret, at)
    return { organizationId, newSecret: secret.secret }
  })
}

async function makeWorkspace(tx: Tx, at: Date): Promise<string> {
  return await insertOrganization(tx, {
    name: 'Local workspace',
    status: 'internal',
    isLocal: true,
    at,
  })
}

async function setKey(tx: Tx, organizationId: string, secret: NewSecret, at: Date): Promise<void> {
  const present = await tx
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('secret_sha256', '=', secret.sha256)
    .executeTakeFirst()
  await tx
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('organization_id', '=', organizationId)
    .where('is_bootstrap', '=', true)
    .where('revoked_at', 'is', null)
    .where('secret_sha256', '!=', secret.sha256)
    .execute()
  if (!present) await insertAdminKey(tx, organizationId, secret, at)
}

/** The deployment itself creates this key. An audit event names a person or a key, so there is none. */
async function insertAdminKey(tx: Tx, organizationId: string, secret: NewSecret, at: Date): Promise<void> {
  const key = { name: KEY_NAME, actorType: 'admin' as const, allowedActions: ACTIONS, allowedProviders: null }
  await insertApiKey(tx, { organizationId, key, secret, at, actor: null, isBootstrap: true })
}

export async function findLocalWorkspace(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('organizations')
    .select('id')
    .where('is_local', '=', true)
    .executeTakeFirst()
  return row?.id
}
