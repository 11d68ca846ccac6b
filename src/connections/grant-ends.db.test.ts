import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { createFakeProvider } from '../../test/support/fake-provider.ts'
import { insertOrganization, insertSource } from '../../test/support/organizations.ts'
import { PLANS } from '../billing/plans/plans.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { PROVIDERS, type ConnectedAccount, type ProviderAdapter, ProviderError } from '../providers/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { addMember } from '../organizations/index.ts'
import { createProviderAccounts } from './provider-accounts.ts'
import { createCredentialStore } from './credentials.ts'
import { createSecretCipher } from '../kernel/secret-cipher.ts'

const KEY = Buffer.alloc(32, 1)
const clock = { now: () => new Date(Date.UTC(2026, 0, 20)) }

let database: TestDatabase
/** Revoked access tokens, and reported failures. */
let revoked: string[]
let failures: unknown[]
/** Hooks added to the providers' normal behavior. */
let onExchange: () => Promise<void>
let onRevoke: (token: string) => void

beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  revoked = []
  failures = []
  onExchange = async () => {}
  onRevoke = () => {}
  await database.db.deleteFrom('grant_revocations').execute()
})
afterAll(() => database.close())

/** A code encodes the account, the person and the token it buys. */
const codeOf = (account: string, person: string): string => `${account} ${person} ${randomUUID()}`
const tokenOf = (code: string): string => `token-${code.split(' ')[2]}`

function adapterOf(provider: ProviderId): ProviderAdapter {
  return {
    ...createFakeProvider(provider).adapter,
    async exchangeCode({ code, signal }): Promise<ConnectedAccount> {
      await onExchange()
      signal.throwIfAborted()
      const [externalAccountId = '', botId = ''] = code.split(' ')
      const credentials = { accessToken: tokenOf(code), refreshToken: null, expiresAt: null, scopes: [] }
      const extra = provider === 'notion' ? { extra: { botId } } : {}
      return { externalAccountId, displayName: 'Account', credentials: { ...credentials, ...extra } }
    },
    async revoke({ accessToken }) {
      onRevoke(accessToken)
      revoked.push(accessToken)
    },
  }
}

const start = (encryptionKey = KEY) =>
  createProviderAccounts({
    db: database.db,
    clock,
    random: () => 0.5,
    adapters: { offered: PROVIDERS, get: adapterOf, close: async () => {} },
    encryptionKeys: [encryptionKey],
    gated: [],
    isLocal: false,
    environment: {},
    publicUrl: () => 'http://127.0.0.1',
    onQueued: () => {},
    onError: (error) => failures.push(error),
  })

/** A user who may connect accounts, in a new or the given workspace. */
async function admin(inOrganization?: string): Promise<ConsoleCaller> {
  const { db } = database
  const organizationId = inOrganization ?? (await insertOrganization(db)).id
  const userId = randomUUID()
  const at = clock.now()
  await db
    .insertInto('users')
    .values({ id: userId, issuer: 'i', subject: userId, email: null, name: null, created_at: at })
    .execute()
  await addMember(db, { organizationId, userId, role: 'owner', at })
  return {
    kind: 'console',
    organizationId,
    userId,
    role: 'owner',
    allowedProviders: null,
  }
}

/** Stores as many connectors as a workspace without a plan may have. */
async function fillPlan({ organizationId }: ConsoleCaller): Promise<void> {
  for (let n = 0; n < PLANS.builder.connectors; n++)
    await insertSource(database.db, organizationId, { provider: 'gmail', push_only: false })
}

/** Connects as the browser does; returns the source's id. */
async function connect(
  caller: ConsoleCaller,
  provider: ProviderId,
  code: string,
  { accounts = start(), signal = new AbortController().signal } = {},
): Promise<string> {
  const { connections } = accounts.services
  const { url, cookie } = await connections.authorize(caller, provider)
  const state = new URL(url).searchParams.get('state') ?? ''
  const end = await connections.complete(provider, { state, code }, { cookie, signal })
  if (!('redirect' in end)) throw new Error('this is not the browser that began')
  return new URL(end.redirect).searchParams.get('connected') ?? ''
}

async function remove({ organizationId }: ConsoleCaller, id: string): Promise<void> {
  const { revocations } = start()
  await database.db.transaction().execute(async (tx) => {
    await revocations.prepare(tx, { organizationId, sourceId: id })
    await tx.deleteFrom('sources').where('id', '=', id).execute()
  })
  await revocations.run()
}

const storedToken = async ({ organizationId }: ConsoleCaller, sourceId: string): Promise<string> => {
  const store = createCredentialStore({ db: database.db, clock, cipher: createSecretCipher([KEY]) })
  return (await store.read({ organizationId, sourceId })).accessToken
}

/** Two sources of one account, and whether revoking one's grant would also end the other's. */
const PAIRS: readonly [
  what: string,
  one: ProviderId,
  other: ProviderId,
  people: [string, string],
  isShared: boolean,
][] = [
  ['one Slack workspace, whose bot is one', 'slack', 'slack', ['ada', 'bob'], true],
  ['Drive and Gmail of one Google account', 'google_drive', 'gmail', ['ada', 'ada'], true],
  ['Gmail of one Google account, twice', 'gmail', 'gmail', ['ada', 'ada'], true],
  ['one Notion workspace, by one person', 'notion', 'notion', ['ada', 'ada'], true],
  ['one Notion workspace, by two people', 'notion', 'notion', ['ada', 'bob'], false],
]

describe('the grant of a removed source', () => {
  it.each(PAIRS)('is revoked unless another workspace depends on it: %s [CONN-10]', async (...pair) => {
    const [, provider, other, people, isShared] = pair
    const account = randomUUID()
    const [ada, bob] = [await admin(), await admin()]
    const [first, second] = [codeOf(account, people[0]), codeOf(account, people[1])]
    const [one, two] = [await connect(ada, provider, first), await connect(bob, other, second)]
    await remove(ada, one)
    expect(revoked).toEqual(isShared ? [] : [tokenOf(first)])
    await remove(bob, two)
    expect(revoked.at(-1)).toBe(tokenOf(second))
  })
})

describe('a connection refused after the provider issued its grant', () => {
  it('for the plan revokes the grant, and gives the reason [CRED-10]', async () => {
    const ada = await admin()
    const code = codeOf(randomUUID(), 'ada')
    onExchange = () => fillPlan(ada)
    await expect(connect(ada, 'slack', code)).rejects.toMatchObject({ code: 'plan_limit_reached' })
    expect(revoked).toEqual([tokenOf(code)])
  })

  it('for a role lost meanwhile revokes it too [OAUTH-5]', async () => {
    const ada = await admin()
    const code = codeOf(randomUUID(), 'ada')
    onExchange = async () => {
      await database.db
        .updateTable('memberships')
        .set({ role: 'member' })
        .where('user_id', '=', ada.userId)
        .execute()
    }
    await expect(connect(ada, 'gmail', code)).rejects.toMatchObject({ code: 'role_required' })
    expect(revoked).toEqual([tokenOf(code)])
    const row = database.db
      .selectFrom('sources')
      .select('id')
      .where('external_account_id', '=', code.split(' ')[0] ?? '')
    expect(await row.execute()).toEqual([])
  })

  it.each(PAIRS)('keeps a grant that another workspace depends on: %s [CONN-10]', async (...pair) => {
    const [, provider, other, people, isShared] = pair
    const account = randomUUID()
    await connect(await admin(), other, codeOf(account, people[1]))
    const code = codeOf(account, people[0])
    const ada = await admin()
    onExchange = () => fillPlan(ada)
    await expect(connect(ada, provider, code)).rejects.toMatchObject({ code: 'plan_limit_reached' })
    expect(revoked).toEqual(isShared ? [] : [tokenOf(code)])
  })

  it('gives the reason even when the provider is down, and revokes the grant later', async () => {
    const ada = await admin()
    const code = codeOf(randomUUID(), 'ada')
    onExchange = () => fillPlan(ada)
    onRevoke = () => {
      throw new ProviderError('unavailable', '503')
    }
    await expect(connect(ada, 'slack', code)).rejects.toMatchObject({ code: 'plan_limit_reached' })
    onRevoke = () => {}
    await database.db.updateTable('grant_revocations').set({ next_attempt_at: clock.now() }).execute()
    await start().maintain()
    expect(revoked).toEqual([tokenOf(code)])
    expect(await database.db.selectFrom('grant_revocations').select('id').execute()).toEqual([])
  })
})

describe('an account that is connected again', () => {
  it.each<[string, ProviderId, string, boolean]>([
    ['of a Slack workspace, whose bot is one', 'slack', 'bob', false],
    ['of a Google account, whose access is one', 'gmail', 'ada', false],
    ['of Notion by the same person', 'notion', 'ada', false],
    ['of Notion by another person', 'notion', 'bob', true],
  ])(
    'loses its former grant unless that would end the new one: %s [OAUTH-10]',
    async (_, provider, person, ends) => {
      const ada = await admin()
      const account = randomUUID()
      const [first, second] = [codeOf(account, 'ada'), codeOf(account, person)]
      const source = await connect(ada, provider, first)
      expect(await connect(ada, provider, second)).toBe(source)
      await start().maintain()
      expect(revoked).toEqual(ends ? [tokenOf(first)] : [])
      expect(await storedToken(ada, source)).toBe(tokenOf(second))
      await remove(ada, source)
      expect(revoked.at(-1)).toBe(tokenOf(second))
      expect(failures).toEqual([])
    },
  )

  it('replaces a grant that no key decrypts', async () => {
    const ada = await admin()
    const account = randomUUID()
    const lost = start(Buffer.alloc(32, 9))
    const source = await connect(ada, 'notion', codeOf(account, 'ada'), { accounts: lost })
    const code = codeOf(account, 'ada')
    expect(await connect(ada, 'notion', code)).toBe(source)
    expect(await storedToken(ada, source)).toBe(tokenOf(code))
  })

  it('by two users at once is one source for both [OAUTH-10]', async () => {
    const ada = await admin()
    const bob = await admin(ada.organizationId)
    const account = randomUUID()
    const both = Promise.withResolvers<void>()
    let waiting = 0
    onExchange = async () => {
      waiting += 1
      if (waiting === 2) both.resolve()
      await both.promise
    }
    const ends = await Promise.all(
      [ada, bob].map((caller) => connect(caller, 'slack', codeOf(account, caller.userId))),
    )
    expect(new Set(ends).size).toBe(1)
  })

  it('is connected although the browser disconnected while the provider answered', async () => {
    const ada = await admin()
    const gone = new AbortController()
    onExchange = async () => gone.abort(new Error('the caller went away'))
    const code = codeOf(randomUUID(), 'ada')
    const source = await connect(ada, 'slack', code, { signal: gone.signal })
    expect(await storedToken(ada, source)).toBe(tokenOf(code))
  })
})

describe("a provider's error message", () => {
  /** The error with everything reachable from it, as a log might print it. */
  const shown = (error: unknown): string => inspect(error, { depth: 10, showHidden: true })

  it('is passed on without the token of the failed revocation [CONN-6]', async () => {
    const ada = await admin()
    const code = codeOf(randomUUID(), 'ada')
    onRevoke = (token) => {
      const request = { url: `https://provider.example/revoke?token=${token}`, headers: { token } }
      const cause = Object.assign(new Error(`no answer to ${request.url}`), { config: request })
      throw Object.assign(new Error(`revoking ${token} failed`, { cause }), { request })
    }
    await remove(ada, await connect(ada, 'slack', code))
    expect(failures).toHaveLength(1)
    expect(shown(failures[0])).toContain('revoking [redacted] failed')
    expect(shown(failures[0])).toContain('https://provider.example/revoke?token=[redacted]')
    expect(shown(failures[0])).not.toContain(tokenOf(code))
  })

  it('is shown without the code of the failed exchange [OAUTH-9]', async () => {
    const ada = await admin()
    const code = codeOf(randomUUID(), 'ada')
    onExchange = async () => {
      throw new ProviderError('auth', `invalid_grant: ${code}`, { cause: new Error(`code=${code}`) })
    }
    const error: unknown = await connect(ada, 'slack', code).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'upstream_error',
      message: 'slack could not be connected: invalid_grant: [redacted]',
    })
    expect(shown(error)).not.toContain(code)
  })
})
