import { HOUR_MS } from '../kernel/clock.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Credentials, type ProviderAdapter, ProviderError } from '../providers/index.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { createFakeProvider } from '../../test/support/fake-provider.ts'
import { insertOrganization, insertSource } from '../../test/support/organizations.ts'
import { createCredentialStore, saveCredentials } from './credentials.ts'
import { createSecretCipher } from '../kernel/secret-cipher.ts'

const cipher = createSecretCipher([Buffer.alloc(32, 1)])
const { signal } = new AbortController()

let database: TestDatabase
let source: SourceRef
let now: number
let refreshed: string[]

beforeEach(async () => {
  database = await createTestDatabase()
  const organization = await insertOrganization(database.db)
  source = {
    organizationId: organization.id,
    sourceId: await insertSource(database.db, organization.id, { provider: 'gmail', push_only: false }),
  }
  now = Date.UTC(2026, 0, 20)
  refreshed = []
})
afterEach(() => database.close())

const clock = { now: () => new Date(now) }
const store = () => createCredentialStore({ db: database.db, clock, cipher })
const token = (adapter: ProviderAdapter, refused?: string) =>
  store().accessToken(source, adapter, signal, refused)

/** As slow as a provider, so that two concurrent refreshes would both get through. */
const renewing = (refresh?: () => Promise<Credentials>): ProviderAdapter => ({
  ...createFakeProvider('gmail').adapter,
  refresh: async (credentials) => {
    refreshed.push(credentials.accessToken)
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (refresh) return await refresh()
    const expiresAt = new Date(now + HOUR_MS)
    return { ...credentials, accessToken: `new-${refreshed.length}`, refreshToken: 'rotated', expiresAt }
  },
})

async function save(values: Partial<Credentials> = {}): Promise<void> {
  const credentials: Credentials = {
    accessToken: 'old',
    refreshToken: 'refresh',
    expiresAt: new Date(now + HOUR_MS),
    scopes: ['read'],
    extra: { bot: 'B1' },
    ...values,
  }
  await database.db
    .transaction()
    .execute((tx) => saveCredentials(tx, cipher, source, credentials, clock.now()))
}

describe('the tokens of a source', () => {
  it('are encrypted in the database [CONN-6]', async () => {
    await save({ accessToken: 'xoxb-very-secret' })
    const row = await database.db.selectFrom('source_credentials').selectAll().executeTakeFirstOrThrow()
    expect(Buffer.from(row.ciphertext).includes(Buffer.from('secret'))).toBe(false)
    expect(await store().read(source)).toMatchObject({
      accessToken: 'xoxb-very-secret',
      extra: { bot: 'B1' },
    })
  })

  it('are reused until shortly before they expire, then renewed [CONN-8]', async () => {
    await save()
    const adapter = renewing()
    expect(await token(adapter)).toBe('old')
    now += HOUR_MS - 60_000
    expect(await token(adapter)).toBe('new-1')
    expect(await token(adapter)).toBe('new-1')
    expect(refreshed).toEqual(['old'])
    expect(await store().read(source)).toMatchObject({ refreshToken: 'rotated' })
  })

  it('are renewed by only one of many workers, and all get the new one [CONN-8]', async () => {
    await save({ expiresAt: new Date(now - 1) })
    const adapter = renewing()
    const tokens = await Promise.all(Array.from({ length: 10 }, () => token(adapter)))
    expect(new Set(tokens)).toEqual(new Set(['new-1']))
    expect(refreshed).toEqual(['old'])
  })

  it('are renewed when the provider refuses one early, whatever the clock says', async () => {
    await save()
    const adapter = renewing()
    expect(await token(adapter, 'old')).toBe('new-1')
    expect(await token(adapter, 'old')).toBe('new-1')
    expect(refreshed).toEqual(['old'])
  })

  it('that cannot be renewed now are used until they expire', async () => {
    await save({ expiresAt: new Date(now + 60_000) })
    const down = renewing(async () => {
      throw new ProviderError('unavailable', '503')
    })
    expect(await token(down)).toBe('old')
    now += 120_000
    await expect(token(down)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it("with a revoked grant fail with the provider's message, and the next call asks again [SYNC-17]", async () => {
    await save({ expiresAt: new Date(now - 1) })
    const revoked = renewing(async () => {
      throw new ProviderError('auth', 'invalid_grant: Token has been expired or revoked.')
    })
    await expect(token(revoked)).rejects.toMatchObject({ kind: 'auth', message: /invalid_grant/ })
    expect(await token(renewing())).toMatch(/^new/)
  })

  it('are re-encrypted with a new first key, so that the old one can be removed [CONN-7]', async () => {
    await save()
    const rotated = createSecretCipher([Buffer.alloc(32, 2), Buffer.alloc(32, 1)])
    const { db } = database
    expect(await createCredentialStore({ db, clock, cipher: rotated }).reencrypt()).toBe(1)
    expect(await createCredentialStore({ db, clock, cipher: rotated }).reencrypt()).toBe(0)
    const withoutOld = createCredentialStore({ db, clock, cipher: createSecretCipher([Buffer.alloc(32, 2)]) })
    expect(await withoutOld.read(source)).toMatchObject({ accessToken: 'old' })
  })

  it('are deleted with their source', async () => {
    await save()
    await database.db.deleteFrom('sources').where('id', '=', source.sourceId).execute()
    await expect(token(renewing())).rejects.toMatchObject({ kind: 'auth' })
  })
})
