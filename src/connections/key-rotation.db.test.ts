import type { SourceRef } from '../kernel/source-ref.ts'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { createFakeProvider } from '../../test/support/fake-provider.ts'
import { insertOrganization, insertSource } from '../../test/support/organizations.ts'
import { readSettings } from '../config.ts'
import type { ProviderAdapter } from '../providers/index.ts'
import { createProviderAccounts } from './provider-accounts.ts'
import { createCredentialStore, saveCredentials } from './credentials.ts'
import { createOAuthStates } from './oauth-states.ts'
import { createSecretCipher } from '../kernel/secret-cipher.ts'

const key = (fill: number): Buffer => Buffer.alloc(32, fill)
const [first, second, lost] = [key(1), key(2), key(9)]
const clock = { now: () => new Date(Date.UTC(2026, 0, 20)) }

let database: TestDatabase
let organizationId: string
let errors: string[]
let revoked: string[]

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  await database.db.deleteFrom('source_credentials').execute()
  await database.db.deleteFrom('grant_revocations').execute()
  organizationId = (await insertOrganization(database.db)).id
  errors = []
  revoked = []
})
afterAll(() => database.close())

function start(keys: readonly Buffer[]) {
  const adapter: ProviderAdapter = {
    ...createFakeProvider('gmail').adapter,
    revoke: async ({ accessToken }) => {
      revoked.push(accessToken)
    },
  }
  return createProviderAccounts({
    db: database.db,
    clock,
    random: () => 0.5,
    adapters: { offered: ['gmail'], get: () => adapter, close: async () => {} },
    encryptionKeys: keys,
    gated: [],
    isLocal: false,
    environment: {},
    publicUrl: () => 'http://127.0.0.1',
    onQueued: () => {},
    onError: (error) => errors.push(String(error)),
  })
}

/** A connected source whose grant that key encrypted. */
async function connected(by: Buffer): Promise<SourceRef> {
  const sourceId = await insertSource(database.db, organizationId, { provider: 'gmail', push_only: false })
  const source = { organizationId, sourceId }
  const credentials = { accessToken: `token of ${sourceId}`, refreshToken: null, expiresAt: null, scopes: [] }
  await database.db
    .transaction()
    .execute((tx) => saveCredentials(tx, createSecretCipher([by]), source, credentials, clock.now()))
  return source
}

/** A source removed while its provider was unreachable. */
async function removed(by: Buffer, accounts: ReturnType<typeof start>): Promise<SourceRef> {
  const source = await connected(by)
  await database.db.transaction().execute(async (tx) => {
    await accounts.revocations.prepare(tx, source)
    await tx.deleteFrom('sources').where('id', '=', source.sourceId).execute()
  })
  await database.db
    .updateTable('grant_revocations')
    .set({ next_attempt_at: new Date(clock.now().getTime() + 1) })
    .execute()
  return source
}

const read = (source: SourceRef, keys: readonly Buffer[]) =>
  createCredentialStore({ db: database.db, clock, cipher: createSecretCipher(keys) }).read(source)

/** Another key with the same id, as one in 256 has. */
function twinOf(one: Buffer): Buffer {
  const idOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest()[0]
  const twin = Buffer.alloc(32)
  for (let n = 1; idOf(twin) !== idOf(one); n++) twin.writeUInt32BE(n)
  return twin
}

describe('ENCRYPTION_KEY as a list', () => {
  it('rotates: grants of the old key are re-encrypted, and the old key can be removed [CONN-7]', async () => {
    const list = [second, first].map((bytes) => bytes.toString('base64')).join(', ')
    const keys = readSettings({ ENCRYPTION_KEY: list }).ENCRYPTION_KEY ?? []
    const source = await connected(first)
    const gone = await removed(first, start([first]))
    await start(keys).maintain()
    expect(await read(source, [second])).toMatchObject({ accessToken: `token of ${source.sourceId}` })
    await database.db.updateTable('grant_revocations').set({ next_attempt_at: clock.now() }).execute()
    await start([second]).maintain()
    expect(revoked).toEqual([`token of ${gone.sourceId}`])
    expect(errors).toEqual([])
  })

  it('rotates to a key with the same id as the old one [CONN-7]', async () => {
    const twin = twinOf(first)
    const source = await connected(first)
    await start([twin, first]).maintain()
    expect(await read(source, [twin])).toMatchObject({ accessToken: `token of ${source.sourceId}` })
  })

  it('leaves grants of the first key unchanged', async () => {
    await connected(first)
    const ciphertexts = () => database.db.selectFrom('source_credentials').select('ciphertext').execute()
    const before = await ciphertexts()
    await start([first, twinOf(first)]).maintain()
    expect(await ciphertexts()).toEqual(before)
  })

  it('decrypts what the first version stored', () => {
    const stored = 'cr4H/tKcACgK/R2DWMJmSJpM2VNgJEgLvYXt/XSKoeZSFVcUHG89dzizWxuV8StnRvspq1lNpzBD'
    const text = createSecretCipher([second, first]).decrypt(Buffer.from(stored, 'base64'), 'row')
    expect(text).toBe('kept since the first version')
  })
})

describe('a missing key', () => {
  it('is reported once with the number of its grants; the others rotate, and revocations continue [CONN-7]', async () => {
    const broken = [await connected(lost), await connected(lost)]
    const whole = await connected(first)
    const accounts = start([second, first])
    const gone = await removed(first, accounts)
    await removed(lost, accounts)
    await database.db
      .updateTable('grant_revocations')
      .set({ next_attempt_at: clock.now() })
      .where('id', '=', gone.sourceId)
      .execute()
    await accounts.maintain()
    await accounts.maintain()
    expect(errors).toEqual([
      expect.stringMatching(/ENCRYPTION_KEY: 3 of the stored grants cannot be decrypted/),
    ])
    expect(revoked).toEqual([`token of ${gone.sourceId}`])
    expect(await read(whole, [second])).toMatchObject({ accessToken: `token of ${whole.sourceId}` })
    for (const source of broken) expect(await read(source, [lost])).toBeDefined()
  })

  it('is reported again when more grants need it', async () => {
    await connected(lost)
    const accounts = start([first])
    await accounts.maintain()
    await connected(lost)
    await accounts.maintain()
    expect(errors).toHaveLength(2)
    expect(errors[1]).toContain('1 of the stored grants')
  })

  it("appears in the source's error, with a remedy", async () => {
    const source = await connected(lost)
    await expect(read(source, [first])).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(
        /ENCRYPTION_KEY.*DATA_DIR.*restore the key.*or connect the account again/,
      ),
    })
  })

  it('makes a flow that began with it count as expired', async () => {
    const { db } = database
    const userId = randomUUID()
    const at = clock.now()
    await db
      .insertInto('users')
      .values({ id: userId, issuer: 'i', subject: userId, email: null, name: null, created_at: at })
      .execute()
    const statesBy = (by: Buffer) => createOAuthStates({ db, clock, cipher: createSecretCipher([by]) })
    const { state } = await db
      .transaction()
      .execute((tx) => statesBy(lost).begin(tx, { organizationId, userId, provider: 'gmail' }))
    await expect(statesBy(first).redeem('gmail', state)).rejects.toMatchObject({ code: 'malformed_state' })
  })
})
