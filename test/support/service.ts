import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describeSecret, insertApiKey, newApiKeySecret } from '../../src/access/index.ts'
import { type App, createApp } from '../../src/assembly/app.ts'
import type { AppDependencies } from '../../src/assembly/dependencies.ts'
import { readSettings } from '../../src/config.ts'
import type { SubscriptionStatus, Tier } from '../../src/database/schema.ts'
import type { ServerOptions } from '../../src/http/create-server.ts'
import { loadTermWeights } from '../../src/inference/term-weights.ts'
import { ACTIONS, type Action, type ActorType } from '../../src/kernel/actions.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { PROVIDERS } from '../../src/providers/index.ts'
import type { ProviderId } from '../../src/kernel/provider-id.ts'
import { insertOrganization } from '../../src/organizations/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { hashEmbeddingModel } from './hash-embedding-model.ts'

export interface Answer {
  status: number
  headers: Headers
  /** The parsed JSON body; undefined when there is none. Tests read into it and assert what they find. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  text: string
}

export interface CallOptions {
  key?: string | undefined
  body?: unknown
  /** Sent as is, instead of `body`. */
  raw?: string | Buffer
  headers?: Record<string, string>
}

export interface TestOrganization {
  id: string
  /** A push-only source of each provider. */
  sources: Record<ProviderId, string>
  /** A key with all actions. */
  adminKey: string
  adminKeyId: string
  mint(key?: {
    actions?: readonly Action[]
    providers?: readonly ProviderId[] | null
    actorType?: ActorType
    requiresUser?: boolean
  }): Promise<{ id: string; secret: string }>
}

export interface TestService {
  url: string
  database: TestDatabase
  app: App
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** A new workspace, `internal` by default. */
  organization(subscription?: {
    status?: SubscriptionStatus
    tier?: Tier
    creditsIncluded?: number
  }): Promise<TestOrganization>
  close(): Promise<void>
}

export const OPERATOR_TOKEN = 'operator-token-of-the-tests-0123456789'

/**
 * The whole service on its own database (or a given one, to be a second instance), listening on loopback. The rate
 * limit is high unless a test sets it.
 */
export async function startTestService(
  overrides: Partial<
    Pick<
      AppDependencies,
      | 'embeddingModel'
      | 'languageModel'
      | 'clock'
      | 'logger'
      | 'consoleBuild'
      | 'guideBuild'
      | 'tracing'
      | 'sleep'
    >
  > & {
    environment?: Record<string, string>
    /** How long clients may take to send a request. */
    timeouts?: ServerOptions<unknown>['timeouts']
    database?: TestDatabase
    /** undefined: without an operator surface. */
    operatorToken?: string | undefined
    /** A folder that the caller owns; by default one that is deleted with the service. */
    dataDir?: string
    /** The port to listen on; any by default. */
    port?: number
  } = {},
): Promise<TestService> {
  const database = overrides.database ?? (await createTestDatabase())
  const dataDir = overrides.dataDir ?? (await mkdtemp(join(tmpdir(), 'memory-test-')))
  const clock = overrides.clock ?? systemClock
  let url = ''
  const app = await createApp({
    settings: readSettings({ API_RATE_LIMIT_PER_MIN: '100000', DATA_DIR: dataDir, ...overrides.environment }),
    database,
    clock,
    logger: overrides.logger ?? pino({ level: 'silent' }),
    embeddingModel: overrides.embeddingModel ?? hashEmbeddingModel(),
    languageModel: overrides.languageModel ?? null,
    termWeights: await loadTermWeights(),
    fetch,
    tracing: overrides.tracing,
    operatorToken: 'operatorToken' in overrides ? overrides.operatorToken : OPERATOR_TOKEN,
    publicUrl: () => url,
    ...(overrides.consoleBuild === undefined ? {} : { consoleBuild: overrides.consoleBuild }),
    ...(overrides.guideBuild === undefined ? {} : { guideBuild: overrides.guideBuild }),
    ...(overrides.sleep ? { sleep: overrides.sleep } : {}),
    ...(overrides.timeouts ? { timeouts: overrides.timeouts } : {}),
  })
  await app.start()
  await app.server.listen({ host: '127.0.0.1', port: overrides.port ?? 0 })
  url = `http://127.0.0.1:${(app.server.server.address() as AddressInfo).port}`
  return {
    url,
    database,
    app,
    call: (method, path, options = {}) => call(url, method, path, options),
    organization: (subscription) => makeOrganization(database, clock.now(), subscription),
    async close() {
      await app.server.close()
      await app.stop()
      if (!overrides.database) await database.close()
      if (overrides.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function call(
  url: string,
  method: string,
  path: string,
  { key, body, raw, headers }: CallOptions,
): Promise<Answer> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = /^application\/(?:scim\+)?json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

async function makeOrganization(
  { db }: TestDatabase,
  at: Date,
  subscription: { status?: SubscriptionStatus; tier?: Tier; creditsIncluded?: number } = {},
): Promise<TestOrganization> {
  const made = await db.transaction().execute(async (tx) => {
    const id = await insertOrganization(tx, {
      name: `Org ${randomUUID().slice(0, 8)}`,
      status: subscription.status ?? 'internal',
      at,
    })
    if (subscription.tier) {
      await tx
        .updateTable('subscriptions')
        .set({ tier: subscription.tier, credits_included: subscription.creditsIncluded ?? null })
        .where('organization_id', '=', id)
        .execute()
    }
    const sources = {} as Record<ProviderId, string>
    for (const provider of PROVIDERS) {
      const source = await tx
        .updateTable('sources')
        .set({ display_name: provider })
        .where('organization_id', '=', id)
        .where('provider', '=', provider)
        .returning('id')
        .executeTakeFirstOrThrow()
      sources[provider] = source.id
    }
    return { id, sources }
  })
  const mint: TestOrganization['mint'] = async ({
    actions = ACTIONS,
    providers = null,
    actorType = 'agent',
    requiresUser = false,
  } = {}) => {
    const secret = newApiKeySecret()
    const key = {
      name: 'test',
      actorType,
      allowedActions: actions,
      allowedProviders: providers,
      requiresUser,
    }
    const row = await db.transaction().execute((tx) =>
      insertApiKey(tx, {
        organizationId: made.id,
        key,
        secret: describeSecret(secret.secret),
        at,
        actor: null,
      }),
    )
    return { id: row.id, secret: secret.secret }
  }
  const admin = await mint({ actorType: 'admin' })
  return { ...made, mint, adminKey: admin.secret, adminKeyId: admin.id }
}
