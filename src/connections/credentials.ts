import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { isLeaseFree, leaseEnd } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { isConflict, isDatabaseOutage } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import { type Clock, MINUTE_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { type Credentials, type ProviderAdapter, ProviderError, usesOAuth } from '../providers/index.ts'
import { createReencryption } from './reencryption.ts'
import { type SecretCipher, UndecryptableSecret } from '../kernel/secret-cipher.ts'
import { withoutSecrets } from './without-secrets.ts'

/** How long before its expiry a token is renewed, in milliseconds: clocks differ, and requests take time. */
const RENEW_AHEAD_MS = 5 * MINUTE_MS
/** The timeout of one refresh. Its lease lasts longer, so that a second worker never refreshes concurrently. */
const REFRESH_TIMEOUT_MS = 30_000
const REFRESH_LEASE_SECONDS = 60
const LOOK_AGAIN_MS = 200
const LOOKS_MAX = (REFRESH_LEASE_SECONDS * 1000 * 2) / LOOK_AGAIN_MS
/** New tokens exist nowhere else, so a short database outage must not lose them. */
const STORE_ATTEMPTS_MAX = 10
const STORE_AGAIN_MS = 500

const StoredCredentials = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.coerce.date().nullable(),
  scopes: z.array(z.string()),
  extra: z.record(z.string(), z.json()).optional(),
})

/** Binds a ciphertext to its row: it decrypts for this source only. */
export function contextOf({ organizationId, sourceId }: SourceRef): string {
  return `source_credentials:${organizationId}:${sourceId}`
}

/** Decrypts a ciphertext of {@link saveCredentials}. @throws UndecryptableSecret */
export function openCredentials(
  cipher: SecretCipher,
  ciphertext: Uint8Array,
  source: SourceRef,
): Credentials {
  const { extra, ...rest } = StoredCredentials.parse(
    JSON.parse(cipher.decrypt(ciphertext, contextOf(source))),
  )
  return extra === undefined ? rest : { ...rest, extra }
}

/** A source's grant; null when it has none, or no key decrypts it. */
export async function findCredentials(
  tx: Tx,
  cipher: SecretCipher,
  source: SourceRef,
): Promise<Credentials | null> {
  const row = await findRow(tx, source)
  try {
    return row ? openCredentials(cipher, row.ciphertext, source) : null
  } catch (error) {
    if (!(error instanceof UndecryptableSecret)) throw error
    return null
  }
}

async function findRow(
  db: Db,
  source: SourceRef,
): Promise<Pick<Row<'source_credentials'>, 'ciphertext' | 'version'> | undefined> {
  return await db
    .selectFrom('source_credentials')
    .select(['ciphertext', 'version'])
    .where('organization_id', '=', source.organizationId)
    .where('source_id', '=', source.sourceId)
    .executeTakeFirst()
}

/** Stores a source's grant, replacing an existing one. */
export async function saveCredentials(
  tx: Tx,
  cipher: SecretCipher,
  source: SourceRef,
  credentials: Credentials,
  at: Date,
): Promise<void> {
  const ciphertext = cipher.encrypt(JSON.stringify(credentials), contextOf(source))
  await tx
    .insertInto('source_credentials')
    .values({
      organization_id: source.organizationId,
      source_id: source.sourceId,
      ciphertext,
      updated_at: at,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'source_id']).doUpdateSet({
        ciphertext,
        version: sql<number>`source_credentials.version + 1`,
        refresh_lease_expires_at: null,
        updated_at: at,
      }),
    )
    .execute()
}

export async function dropCredentials(tx: Tx, source: SourceRef): Promise<void> {
  await tx
    .deleteFrom('source_credentials')
    .where('organization_id', '=', source.organizationId)
    .where('source_id', '=', source.sourceId)
    .execute()
}

interface Stored {
  credentials: Credentials
  version: number
}

export interface CredentialStore {
  /** @throws ProviderError `auth` without an account, AppError `not_configured` without the key of its tokens */
  read(source: SourceRef): Promise<Credentials>
  /**
   * A valid token. Renews a token that is about to expire or was `refused` by the provider. Among any number of
   * workers one asks the provider; the others wait for its result. A started refresh continues after the signal
   * aborts: when the provider rotates refresh tokens, its answer is the only valid grant.
   * @throws ProviderError `auth` when the grant is gone, `unavailable` when the provider cannot be reached
   */
  accessToken(
    source: SourceRef,
    adapter: ProviderAdapter,
    signal: AbortSignal,
    refused?: string,
  ): Promise<string>
  /**
   * Re-encrypts with the first key, also grants to be revoked; returns the count. @throws Error for undecryptable ones
   */
  reencrypt(): Promise<number>
  /** Waits for running refreshes: at most 30 seconds each, plus the time to store their results. */
  settle(): Promise<void>
}

interface StoreDependencies {
  db: Db
  clock: Clock
  cipher: SecretCipher
}

export function createCredentialStore(deps: StoreDependencies): CredentialStore {
  const { db, clock, cipher } = deps
  const renewals = new Set<Promise<unknown>>()

  async function load(source: SourceRef): Promise<Stored> {
    const row = await findRow(db, source)
    if (!row) throw new ProviderError('auth', 'This source is not connected to an account; connect it again')
    return { credentials: readable(cipher, row.ciphertext, source), version: row.version }
  }

  return {
    read: async (source) => (await load(source)).credentials,
    async accessToken(source, adapter, signal, refused) {
      for (let look = 1; look <= LOOKS_MAX; look++) {
        signal.throwIfAborted()
        const stored = await load(source)
        const { credentials } = stored
        const isRefused = credentials.accessToken === refused
        const now = clock.now().getTime()
        const leftMs = (credentials.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - now
        if (!isRefused && leftMs > RENEW_AHEAD_MS) return credentials.accessToken
        // Without a refresh token, only the provider can say when the token ends.
        if (!isRefused && credentials.refreshToken === null) return credentials.accessToken
        if (await leaseRefresh(db, source, stored.version)) {
          const renewal = renew(deps, source, adapter, stored)
          renewals.add(renewal)
          try {
            return (await renewal).accessToken
          } catch (error) {
            const isStillGood = !isRefused && leftMs > 0
            if (isStillGood && error instanceof ProviderError && error.kind !== 'auth')
              return credentials.accessToken
            throw error
          } finally {
            renewals.delete(renewal)
          }
        }
        await sleep(LOOK_AGAIN_MS, undefined, { signal })
      }
      throw new ProviderError('unavailable', 'Another process did not renew the access token in time')
    },
    reencrypt: createReencryption(db, cipher, (organizationId, sourceId) =>
      contextOf({ organizationId, sourceId }),
    ),
    async settle() {
      await Promise.allSettled(renewals)
    },
  }
}

/** Renews and stores the credentials; retries while the database is unavailable. */
async function renew(
  { db, clock, cipher }: StoreDependencies,
  source: SourceRef,
  adapter: ProviderAdapter,
  stored: Stored,
): Promise<Credentials> {
  let renewed: Credentials
  try {
    renewed = await askForRenewal(adapter, stored.credentials)
  } catch (error) {
    await replace(db, source, stored.version, {})
    throw error
  }
  const ciphertext = cipher.encrypt(JSON.stringify(renewed), contextOf(source))
  await retryOutages(() => replace(db, source, stored.version, { ciphertext, updated_at: clock.now() }))
  return renewed
}

/** Replaces the internal error of undecryptable tokens with a readable one. */
function readable(cipher: SecretCipher, ciphertext: Uint8Array, source: SourceRef): Credentials {
  try {
    return openCredentials(cipher, ciphertext, source)
  } catch (error) {
    if (!(error instanceof UndecryptableSecret)) throw error
    throw new AppError(
      'not_configured',
      'The tokens of this source cannot be decrypted with ENCRYPTION_KEY (or, if it is not set, with the key stored ' +
        'in DATA_DIR); restore the key they were encrypted with, or connect the account again',
      { cause: error },
    )
  }
}

/** A refresh with only its own timeout. */
async function askForRenewal(adapter: ProviderAdapter, credentials: Credentials): Promise<Credentials> {
  if (!usesOAuth(adapter)) throw new ProviderError('auth', "The provider rejects this source's credentials")
  const signal = AbortSignal.timeout(REFRESH_TIMEOUT_MS)
  try {
    return await adapter.refresh(credentials, signal)
  } catch (error) {
    const cause = withoutSecrets(error, [credentials.accessToken, credentials.refreshToken])
    if (cause instanceof ProviderError || !signal.aborted) throw cause
    throw new ProviderError('unavailable', 'The provider did not renew the access token in time', { cause })
  }
}

async function retryOutages(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await write()
      return
    } catch (error) {
      if (attempt === STORE_ATTEMPTS_MAX || !(isConflict(error) || isDatabaseOutage(error))) throw error
      await sleep(STORE_AGAIN_MS)
    }
  }
}

/** Whether this worker renews that version. Leases use the database's clock. */
async function leaseRefresh(db: Db, source: SourceRef, version: number): Promise<boolean> {
  const leased = await db
    .updateTable('source_credentials')
    .set({
      refresh_lease_expires_at: leaseEnd(REFRESH_LEASE_SECONDS),
    })
    .where('organization_id', '=', source.organizationId)
    .where('source_id', '=', source.sourceId)
    .where('version', '=', version)
    .where(isLeaseFree('refresh_lease_expires_at'))
    .returning('version')
    .executeTakeFirst()
  return leased !== undefined
}

/** Replaces exactly that version and releases the lease; a newer grant stays. */
async function replace(
  db: Db,
  source: SourceRef,
  version: number,
  values: { ciphertext?: Buffer; updated_at?: Date },
): Promise<void> {
  await db
    .updateTable('source_credentials')
    .set({
      ...values,
      ...(values.ciphertext === undefined ? {} : { version: version + 1 }),
      refresh_lease_expires_at: null,
    })
    .where('organization_id', '=', source.organizationId)
    .where('source_id', '=', source.sourceId)
    .where('version', '=', version)
    .execute()
}
