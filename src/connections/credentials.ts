import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { isLeaseFree, leaseEnd } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { isConflict, isDatabaseOutage } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { type Credentials, type ProviderAdapter, ProviderError } from '../providers/index.ts'
import { createReencryption } from './reencryption.ts'
import { type TokenCipher, UndecryptableSecret } from './token-cipher.ts'
import { withoutSecrets } from './without-secrets.ts'

/** A token is renewed this long before it expires, milliseconds: clocks differ, and a request takes its time. */
const RENEW_AHEAD_MS = 5 * 60_000
/** One refresh at the provider; its lease is longer, so that a second worker never refreshes beside the first. */
const REFRESH_TIMEOUT_MS = 30_000
const REFRESH_LEASE_SECONDS = 60
const LOOK_AGAIN_MS = 200
const LOOKS_MAX = (REFRESH_LEASE_SECONDS * 1000 * 2) / LOOK_AGAIN_MS
/** New tokens are all there is of a grant: a database that is away for a moment does not lose them. */
const STORE_ATTEMPTS_MAX = 10
const STORE_AGAIN_MS = 500

const StoredCredentials = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.coerce.date().nullable(),
  scopes: z.array(z.string()),
  extra: z.record(z.string(), z.json()).optional(),
})

/** Where a ciphertext stands: it decrypts for this source only. */
export function contextOf({ organizationId, sourceId }: SourceRef): string {
  return `source_credentials:${organizationId}:${sourceId}`
}

/**
 * The credentials in a ciphertext of {@link saveCredentials}.
 * @throws UndecryptableSecret
 */
export function openCredentials(cipher: TokenCipher, ciphertext: Uint8Array, source: SourceRef): Credentials {
  const { extra, ...rest } = StoredCredentials.parse(
    JSON.parse(cipher.decrypt(ciphertext, contextOf(source))),
  )
  return extra === undefined ? rest : { ...rest, extra }
}

/** The grant that a source has; null when it has none, or none that the keys open. */
export async function findCredentials(
  tx: Tx,
  cipher: TokenCipher,
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

/** Stores the grant of a source, in place of one it had. */
export async function saveCredentials(
  tx: Tx,
  cipher: TokenCipher,
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

/** Forgets the grant of a source. */
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
  /**
   * @throws ProviderError `auth` when the source has no account behind it, AppError `not_configured` when the key that
   * encrypted its tokens is missing
   */
  read(source: SourceRef): Promise<Credentials>
  /**
   * A token that is valid now; one about to expire, or `refused` by the provider, is renewed first. Of any number of
   * workers that need it renewed one asks the provider, the others wait for what it gets. A refresh that has begun
   * goes on when the signal aborts: where the provider replaces refresh tokens, its answer is the grant.
   * @throws ProviderError `auth` when the grant is gone, `unavailable` when the provider cannot be asked
   */
  accessToken(
    source: SourceRef,
    adapter: ProviderAdapter,
    signal: AbortSignal,
    refused?: string,
  ): Promise<string>
  /**
   * Encrypts with the first key what another one has encrypted, grants that are to be revoked too; returns how many.
   * @throws Error, once all are done, that says how many no key opens; each is said once
   */
  reencrypt(): Promise<number>
  /** Waits for the refreshes under way: 30 seconds each at most, and as long as it takes to store what they got. */
  settle(): Promise<void>
}

interface StoreDependencies {
  db: Db
  clock: Clock
  cipher: TokenCipher
}

/** The grants of all sources. */
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
        // Without a refresh token the provider has the last word on the old one.
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
      throw new ProviderError('unavailable', 'The access token is being renewed elsewhere for too long')
    },
    reencrypt: createReencryption(db, (source, ciphertext) =>
      cipher.reencrypt(ciphertext, contextOf(source)),
    ),
    async settle() {
      await Promise.allSettled(renewals)
    },
  }
}

/** The renewed credentials, stored: where the database is away for a moment, as soon as it is back. */
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

/** What a person reads of a source whose tokens cannot be opened, instead of a fault of the service. */
function readable(cipher: TokenCipher, ciphertext: Uint8Array, source: SourceRef): Credentials {
  try {
    return openCredentials(cipher, ciphertext, source)
  } catch (error) {
    if (!(error instanceof UndecryptableSecret)) throw error
    throw new AppError(
      'not_configured',
      'The tokens of this source cannot be decrypted with ENCRYPTION_KEY (or, where it is not set, with the key kept ' +
        'in DATA_DIR); restore the key they were encrypted with, or connect the account again',
      { cause: error },
    )
  }
}

/** A refresh, bounded in time by nothing but itself. */
async function askForRenewal(adapter: ProviderAdapter, credentials: Credentials): Promise<Credentials> {
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

/** Whether this worker is the one to renew that version. Leases are measured by the database's clock. */
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

/** Writes over exactly that version, and lets the lease go; a grant made anew meanwhile stays. */
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
