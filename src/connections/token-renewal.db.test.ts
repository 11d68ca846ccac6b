import type { SourceRef } from '../kernel/source-ref.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { KyselyPlugin } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { createFakeProvider } from '../../test/support/fake-provider.ts'
import { insertOrganization, insertSource } from '../../test/support/organizations.ts'
import { type Credentials, type ProviderAdapter, ProviderError } from '../providers/index.ts'
import { createCredentialStore, saveCredentials } from './credentials.ts'
import { createSecretCipher } from '../kernel/secret-cipher.ts'

const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const cipher = createSecretCipher([oldKey])
const clock = { now: () => new Date(Date.UTC(2026, 0, 20)) }
const never = new AbortController().signal

let database: TestDatabase
let source: SourceRef

beforeEach(async () => {
  database = await createTestDatabase()
  const { id: organizationId } = await insertOrganization(database.db)
  const sourceId = await insertSource(database.db, organizationId, { provider: 'slack', push_only: false })
  source = { organizationId, sourceId }
  const credentials: Credentials = {
    accessToken: 'access-token-1',
    refreshToken: 'refresh-token-1',
    expiresAt: new Date(0),
    scopes: [],
  }
  await database.db
    .transaction()
    .execute((tx) => saveCredentials(tx, cipher, source, credentials, clock.now()))
})
afterEach(() => database.close())

const storeWith = (values: Partial<Parameters<typeof createCredentialStore>[0]> = {}) =>
  createCredentialStore({ db: database.db, clock, cipher, ...values })

/** A provider that rotates refresh tokens; the test decides when it answers. */
function rotating() {
  let uses = 1
  const arrived = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const adapter: ProviderAdapter = {
    ...createFakeProvider('slack').adapter,
    refresh: async (credentials, signal) => {
      if (credentials.refreshToken !== `refresh-token-${uses}`)
        throw new ProviderError('auth', 'invalid_refresh_token')
      uses += 1
      arrived.resolve()
      const aborted = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
      await Promise.race([held.promise, aborted])
      const expiresAt = new Date(clock.now().getTime() + 3_600_000)
      const tokens = { accessToken: `access-token-${uses}`, refreshToken: `refresh-token-${uses}` }
      return { ...credentials, ...tokens, expiresAt }
    },
  }
  return { adapter, arrived: arrived.promise, answer: () => held.resolve() }
}

describe('a refresh token that the provider rotates', () => {
  it('survives when the worker stops or the browser disconnects while the provider answers [CONN-8]', async () => {
    const { adapter, arrived, answer } = rotating()
    const store = storeWith()
    const stopping = new AbortController()
    const first = store.accessToken(source, adapter, stopping.signal)
    await arrived
    stopping.abort(new Error('the worker is stopping'))
    let isSettled = false
    const settled = store.settle().then(() => (isSettled = true))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isSettled).toBe(false)
    answer()
    await settled
    expect(await store.read(source)).toMatchObject({ refreshToken: 'refresh-token-2' })
    expect(await first).toBe('access-token-2')
  })

  it('is not requested by a caller that has already stopped', async () => {
    const { adapter } = rotating()
    await expect(
      storeWith().accessToken(source, adapter, AbortSignal.abort(new Error('stopped'))),
    ).rejects.toThrow('stopped')
    expect(await storeWith().read(source)).toMatchObject({ refreshToken: 'refresh-token-1' })
  })

  it('survives when all grants are re-encrypted while the provider answers [CONN-7, CONN-8]', async () => {
    const { adapter, arrived, answer } = rotating()
    const rotated = storeWith({ cipher: createSecretCipher([newKey, oldKey]) })
    const token = rotated.accessToken(source, adapter, never)
    await arrived
    expect(await rotated.reencrypt()).toBe(1)
    answer()
    expect(await token).toBe('access-token-2')
    expect(await rotated.read(source)).toMatchObject({ refreshToken: 'refresh-token-2' })
  })

  it("survives a database outage after the provider's answer", async () => {
    const { adapter, arrived, answer } = rotating()
    let failures = 0
    const outage: KyselyPlugin = {
      transformQuery({ node }) {
        if (failures > 0) {
          failures -= 1
          throw Object.assign(new Error('the database system is shutting down'), { code: '57P01' })
        }
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const token = storeWith({ db: database.db.withPlugin(outage) }).accessToken(source, adapter, never)
    await arrived
    failures = 2
    answer()
    expect(await token).toBe('access-token-2')
    expect(failures).toBe(0)
    expect(await storeWith().read(source)).toMatchObject({ refreshToken: 'refresh-token-2' })
  })
})

describe('a failed refresh', () => {
  it("names no token, whatever the provider's client puts into its errors", async () => {
    const careless: ProviderAdapter = {
      ...createFakeProvider('slack').adapter,
      refresh: async ({ accessToken, refreshToken }) => {
        const cause = Object.assign(new Error(`POST /token?refresh_token=${refreshToken}`), {
          config: { headers: { authorization: `Bearer ${accessToken}` } },
        })
        throw new ProviderError('unavailable', `no answer to ${accessToken}`, { cause })
      },
    }
    const error: unknown = await storeWith()
      .accessToken(source, careless, never)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      kind: 'unavailable',
      message: 'no answer to [redacted]',
      cause: { message: 'POST /token?refresh_token=[redacted]' },
    })
    expect(error).not.toHaveProperty('cause.config')
  })
})
