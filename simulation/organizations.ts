import { createSecretCipher } from '../src/kernel/secret-cipher.ts'
import { saveCredentials } from '../src/connections/credentials.ts'
import { describeSecret, insertApiKey, newApiKeySecret } from '../src/access/index.ts'
import type { Db } from '../src/database/database.ts'
import type { Grants } from '../emulators/kit/grants.ts'
import { ACTIONS, type Action } from '../src/kernel/actions.ts'
import type { ProviderId } from '../src/kernel/provider-id.ts'
import { insertOrganization } from '../src/organizations/index.ts'
import { insertConnectedSource } from '../src/sources/index.ts'
import { schedulePermissionPoll } from '../src/permission-polls/index.ts'
import { queueRun } from '../src/sync/index.ts'
import { newTally, type PushedDocument, Register, type Tally } from './oracle.ts'

export interface SimulatedKey {
  id: string
  secret: string
  providers: readonly ProviderId[] | null
  /** Whether it can be used; null: unknown. */
  isLive: boolean | null
}

/** A request that counts in a key's minute. */
interface Counted {
  key: string
  action: string
  sentAt: number
  answeredAt: number
}

/** A workspace and everything clients know about it. */
export interface SimulatedOrganization {
  id: string
  name: string
  plan: 'unlimited' | 'capped' | 'metered'
  creditsIncluded: number | null
  admin: SimulatedKey
  keys: SimulatedKey[]
  pushOnly: Record<string, string>
  connected: Partial<Record<'slack' | 'notion', string>>
  documents: Map<string, Register<PushedDocument>>
  group: Register<string[]>
  retrievals: Tally
  quotaRefusals: number
  /** Requests that were admitted, may have been admitted, or were rate limited. */
  admissions: Counted[]
  maybeAdmitted: Counted[]
  refusals: Counted[]
  /** Ids of requests and objects, by the audit action that must name each exactly once. */
  audited: { action: string; target: string }[]
  mutations: Map<string, Tally>
}

export const ENCRYPTION_KEY = Buffer.alloc(32, 7)
export const PEOPLE = ['ada@corp.com', 'bob@corp.com', 'eve@partner.org', 'kim@corp.com'] as const
export const RETRIEVALS = ['search', 'context', 'ask'] as const

/** Creates a workspace with an admin key and a key limited to Notion. */
export async function makeOrganization(
  db: Db,
  terms: Pick<SimulatedOrganization, 'name' | 'plan' | 'creditsIncluded'>,
  at: Date,
): Promise<SimulatedOrganization> {
  const id = await db
    .transaction()
    .execute((tx) => insertOrganization(tx, { name: terms.name, status: 'internal', at }))
  const mint = (actions: readonly Action[], providers: readonly ProviderId[] | null): Promise<SimulatedKey> =>
    mintKey(db, { organizationId: id, actions, providers, at })
  const sources = await db
    .selectFrom('sources')
    .select(['id', 'provider'])
    .where('organization_id', '=', id)
    .execute()
  const organization = newOrganization({ ...terms, id, admin: await mint(ACTIONS, null) })
  organization.keys.push(await mint(RETRIEVALS, null), await mint(RETRIEVALS, ['notion']))
  for (const source of sources) organization.pushOnly[source.provider] = source.id
  return organization
}

/** A new workspace in the model. */
export function newOrganization(
  terms: Pick<SimulatedOrganization, 'id' | 'name' | 'plan' | 'creditsIncluded' | 'admin'>,
): SimulatedOrganization {
  return {
    ...terms,
    keys: [],
    pushOnly: {},
    connected: {},
    documents: new Map(),
    group: new Register<string[]>([]),
    retrievals: newTally(),
    quotaRefusals: 0,
    admissions: [],
    maybeAdmitted: [],
    refusals: [],
    audited: [],
    mutations: new Map(),
  }
}

async function mintKey(
  db: Db,
  key: {
    organizationId: string
    actions: readonly Action[]
    providers: readonly ProviderId[] | null
    at: Date
  },
): Promise<SimulatedKey> {
  const { organizationId, actions, providers, at } = key
  const { secret } = newApiKeySecret()
  const shape = {
    name: 'simulated',
    actorType: 'agent' as const,
    allowedActions: actions,
    allowedProviders: providers,
    requiresUser: false,
  }
  const row = await db
    .transaction()
    .execute((tx) =>
      insertApiKey(tx, { organizationId, key: shape, secret: describeSecret(secret), at, actor: null }),
    )
  return { id: row.id, secret, providers, isLive: true }
}

/** Connects an account as the end of an OAuth flow does, without the browser. */
export async function connect(
  db: Db,
  organizationId: string,
  account: { provider: ProviderId; externalAccountId: string; displayName: string },
  { grants, scope, at }: { grants: Grants; scope: string; at: Date },
): Promise<string> {
  const grant = grants.issue(account.externalAccountId, scope)
  return await db.transaction().execute(async (tx) => {
    const sourceId = await insertConnectedSource(tx, { organizationId, ...account, connectedBy: null, at })
    const credentials = {
      accessToken: grant.accessToken,
      refreshToken: grant.refreshToken,
      expiresAt: grant.expiresAt === null ? null : new Date(grant.expiresAt),
      scopes: scope.split(','),
    }
    const source = { organizationId, sourceId }
    await saveCredentials(tx, createSecretCipher([ENCRYPTION_KEY]), source, credentials, at)
    await queueRun(tx, { ...source, fullResync: false, at })
    await schedulePermissionPoll(tx, source, at)
    return sourceId
  })
}
