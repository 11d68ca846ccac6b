import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { startGoogleEmulator, type GoogleEmulator } from '../../emulators/google/google-emulator.ts'
import { type NotionEmulator, startNotionEmulator } from '../../emulators/notion/index.ts'
import { type SlackEmulator, startSlackEmulator } from '../../emulators/slack/index.ts'
import type { Grants } from '../../emulators/kit/grants.ts'
import type { EmulatorServer } from '../../emulators/kit/server.ts'
import { createSecretCipher } from '../../src/kernel/secret-cipher.ts'
import { contextOf } from '../../src/connections/credentials.ts'
import type { Role } from '../../src/kernel/roles.ts'
import {
  type DefaultProviderId as ProviderId,
  DEFAULT_PROVIDERS as PROVIDERS,
} from '../../src/providers/index.ts'
import { cookiesOf, followRedirects } from './browser.ts'
import { startIssuer, type TestIssuer } from './issuer.ts'
import { type Person, signIn } from './people.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from './service.ts'
import { until } from './until.ts'

/** The provider emulators, with small data, and their settings. */
export interface Emulators {
  slack: SlackEmulator
  google: GoogleEmulator
  notion: NotionEmulator
  environment: Record<string, string>
  close(): Promise<void>
}

export interface EmulatorOptions {
  slack?: Parameters<typeof startSlackEmulator>[0]
  google?: Parameters<typeof startGoogleEmulator>[0]
  notion?: Parameters<typeof startNotionEmulator>[0]
}

/** Starts all provider emulators on free ports. */
export async function startEmulators(options: EmulatorOptions = {}): Promise<Emulators> {
  const seed = { channels: 3, messagesPerChannel: 12, users: 6, endsAt: Date.now() }
  const slack = await startSlackEmulator({ ...options.slack, seed: { ...seed, ...options.slack?.seed } })
  const google = await startGoogleEmulator({
    files: 6,
    folders: 2,
    sharedDrives: 0,
    mails: 8,
    ...options.google,
  })
  const notion = await startNotionEmulator({
    ...options.notion,
    seed: { pages: 6, ...options.notion?.seed },
  })
  return {
    slack,
    google,
    notion,
    environment: {
      ...slack.env,
      ...notion.env,
      GOOGLE_CLIENT_ID: google.clientId,
      GOOGLE_CLIENT_SECRET: google.clientSecret,
      GOOGLE_API_URL: google.url,
      GOOGLE_AUTH_URL: google.url,
    },
    close: async () => {
      await Promise.all([slack.close(), google.close(), notion.close()])
    },
  }
}

export interface ProviderEmulator extends Pick<EmulatorServer, 'faults' | 'requests'> {
  grants: Grants
  /** The prefix of its API's paths. */
  api: string
  /** The prefix of requests for single items. */
  content: string
  /** The address that exchanges codes and refreshes tokens. */
  tokenPath: string
}

/** The emulator of a provider; Drive and Gmail share one. */
export function emulatorOf({ slack, google, notion }: Emulators, provider: ProviderId): ProviderEmulator {
  switch (provider) {
    case 'slack':
      return {
        ...partsOf(slack),
        api: '/api/',
        content: '/api/conversations.',
        tokenPath: '/api/oauth.v2.access',
      }
    case 'notion':
      return { ...partsOf(notion), api: '/v1/', content: '/v1/pages/', tokenPath: '/v1/oauth/token' }
    case 'google_drive':
      return { ...partsOf(google), api: '/drive/v3/', content: '/drive/v3/files/1File', tokenPath: '/token' }
    case 'gmail':
      return {
        ...partsOf(google),
        api: '/gmail/v1/',
        content: '/gmail/v1/users/me/messages/',
        tokenPath: '/token',
      }
  }
}

const partsOf = ({ faults, requests, grants }: Pick<ProviderEmulator, 'faults' | 'requests' | 'grants'>) => ({
  faults,
  requests,
  grants,
})

/** Creates something new at a provider, findable by its words; `remove` deletes it there. */
export function writeAtProvider(
  { slack, google, notion }: Emulators,
  provider: ProviderId,
  { title, text }: { title: string; text: string },
): { remove(): void } {
  switch (provider) {
    case 'slack': {
      const channel = slack.state.addChannel({
        name: title.toLowerCase().replaceAll(' ', '-'),
        isMember: true,
      })
      const ts = slack.state.post(channel, { text })
      return { remove: () => slack.state.delete(channel, ts) }
    }
    case 'notion': {
      const id = notion.state.create({ title, markdown: text })
      return { remove: () => notion.state.trash(id) }
    }
    case 'google_drive': {
      const id = google.drive.create({ name: title, content: text, mimeType: 'text/plain' })
      return { remove: () => google.drive.trash(id) }
    }
    case 'gmail': {
      const id = google.mail.deliver({ subject: title, text })
      return { remove: () => google.mail.trash(id) }
    }
  }
}

/** The number of requests whose paths begin with `prefix`. */
export function countRequests({ requests }: Pick<ProviderEmulator, 'requests'>, prefix: string): number {
  return Object.entries(requests.byPath()).reduce(
    (sum, [path, count]) => sum + (path.startsWith(prefix) ? count : 0),
    0,
  )
}

export interface EndedRun {
  id: string
  status: 'succeeded' | 'failed'
  startedAt: string
  finishedAt: string
  itemsDiscovered: number
  itemsIngested: number
  itemsDeleted: number
  errorMessage: string | null
}

export interface RunDetails {
  syncRun: EndedRun
  itemsFailed: number
  failures: { externalId: string; message: string }[]
  waitingUntil: string | null
  needsReconnection: boolean
  nextRunAt: string | null
}

export interface ShownSource {
  id: string
  provider: ProviderId
  status: 'pending' | 'active' | 'error' | 'disabled'
  errorMessage: string | null
  lastSyncedAt: string | null
  sourceItemCount: number
  policyHealth: Record<string, unknown> | null
}

/** A stored grant and its decrypted content. */
export interface StoredGrant {
  ciphertext: Buffer
  accessToken: string
  refreshToken: string | null
}

/** A new workspace with its owner, nothing connected. */
export interface Workspace {
  organization: TestOrganization
  owner: Person
}

export interface ConnectedService extends TestService {
  emulators: Emulators
  issuer: TestIssuer
  workspace(): Promise<Workspace>
  signIn(subject: string, membership?: { organizationId: string; role: Role }): Promise<Person>
  /** Approves a gated provider as the operator. */
  grant(organizationId: string, provider: ProviderId): Promise<void>
  /** Runs the whole OAuth flow in one browser; returns the id of the source. */
  connect(person: Person, organizationId: string, provider: ProviderId): Promise<string>
  runEnded(organization: TestOrganization, sourceId: string): Promise<EndedRun>
  /** Requests a run and waits for its end. */
  sync(
    organization: TestOrganization,
    sourceId: string,
    options?: { fullResync?: boolean },
  ): Promise<EndedRun>
  runDetails(organization: TestOrganization, runId: string): Promise<RunDetails>
  /** The source in `GET /v1/sources`; undefined when it is missing. */
  findSource(organization: TestOrganization, sourceId: string): Promise<ShownSource | undefined>
  /** Every item of a source with its chunk count; duplicates would appear twice. */
  contentsOf(sourceId: string): Promise<unknown[]>
  /** The stored grant of a source. @throws when there is none */
  storedGrant(organization: TestOrganization, sourceId: string): Promise<StoredGrant>
}

/** Waits a twentieth of what a run would before it retries. */
export async function sleepBriefly(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms / 20, undefined, { signal })
}

const ENCRYPTION_KEY = Buffer.alloc(32, 7)

/** The whole service with provider emulators and its own identity provider. */
export async function startConnectedService(
  options: {
    emulators?: EmulatorOptions
    service?: Parameters<typeof startTestService>[0]
  } = {},
): Promise<ConnectedService> {
  const emulators = await startEmulators(options.emulators)
  const issuer = await startIssuer()
  const service = await startTestService({
    ...options.service,
    environment: {
      ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
      ...emulators.environment,
      ...issuer.environment,
      ...options.service?.environment,
    },
  })
  const grant: ConnectedService['grant'] = async (organizationId, provider) => {
    const path = `/operator/organizations/${organizationId}/connector-access/${provider}`
    await expectStatus(200, service.call('PUT', path, { key: OPERATOR_TOKEN, body: { enabled: true } }))
  }
  return {
    ...service,
    emulators,
    issuer,
    async workspace() {
      const organization = await service.organization()
      const membership = { organizationId: organization.id, role: 'owner' } as const
      return { organization, owner: await signIn(service, issuer, organization.id, membership) }
    },
    signIn: (subject, membership) => signIn(service, issuer, subject, membership),
    grant,
    async connect(person, organizationId, provider) {
      if (provider === 'google_drive' || provider === 'gmail') await grant(organizationId, provider)
      const begun = await expectStatus(
        200,
        service.call('POST', `/v1/console/connectors/${provider}/authorize`, {
          key: person.token,
          headers: { 'X-Organization-Id': organizationId },
        }),
      )
      const back = await followRedirects(begun.body.url, `${service.url}/console/`, {
        origin: service.url,
        cookies: cookiesOf(begun.headers),
      })
      const sourceId = new URL(back).searchParams.get('connected')
      if (sourceId === null) throw new Error(`${provider} was not connected: ${back}`)
      return sourceId
    },
    runEnded: (organization, sourceId) => runEnded(service, organization, sourceId),
    async sync(organization, sourceId, { fullResync = false } = {}) {
      const body = { connectorId: sourceId, fullResync }
      await expectStatus(201, service.call('POST', '/v1/sync-runs', { key: organization.adminKey, body }))
      return await runEnded(service, organization, sourceId)
    },
    async runDetails({ adminKey }, runId) {
      return (await expectStatus(200, service.call('GET', `/v1/sync-runs/${runId}`, { key: adminKey }))).body
    },
    async findSource({ adminKey }, sourceId) {
      const { body } = await expectStatus(200, service.call('GET', '/v1/sources', { key: adminKey }))
      return body.sources.find(({ id }: { id: string }) => id === sourceId)
    },
    contentsOf: (sourceId) => contentsOf(service, sourceId),
    storedGrant: (organization, sourceId) => storedGrant(service, organization.id, sourceId),
    async close() {
      await service.close()
      await issuer.close()
      await emulators.close()
    },
  }
}

async function expectStatus(status: number, call: Promise<Answer>): Promise<Answer> {
  const answer = await call
  if (answer.status !== status) throw new Error(`answered ${answer.status}: ${answer.text}`)
  return answer
}

async function runEnded(
  service: TestService,
  { adminKey }: TestOrganization,
  sourceId: string,
): Promise<EndedRun> {
  return await until(
    'the end of the run',
    async () => {
      const { body } = await service.call('GET', '/v1/sync-runs', { key: adminKey })
      return body.syncRuns.find((one: { connectorId: string }) => one.connectorId === sourceId)
    },
    (run) => run?.status === 'succeeded' || run?.status === 'failed',
  )
}

async function contentsOf({ database }: TestService, sourceId: string): Promise<unknown[]> {
  return await database.db
    .selectFrom('source_items')
    .leftJoin('chunks', (join) =>
      join
        .onRef('chunks.organization_id', '=', 'source_items.organization_id')
        .onRef('chunks.source_item_id', '=', 'source_items.id'),
    )
    .select(['external_id', 'title', 'body', ({ fn }) => fn.count<string>('chunks.position').as('chunks')])
    .where('source_items.source_id', '=', sourceId)
    .groupBy(['source_items.id', 'external_id', 'title', 'body'])
    .orderBy('external_id')
    .execute()
}

async function storedGrant(
  { database }: TestService,
  organizationId: string,
  sourceId: string,
): Promise<StoredGrant> {
  const row = await database.db
    .selectFrom('source_credentials')
    .select('ciphertext')
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .executeTakeFirstOrThrow()
  const ciphertext = Buffer.from(row.ciphertext)
  const text = createSecretCipher([ENCRYPTION_KEY]).decrypt(
    ciphertext,
    contextOf({ organizationId, sourceId }),
  )
  const { accessToken, refreshToken } = StoredTokens.parse(JSON.parse(text))
  return { ciphertext, accessToken, refreshToken }
}

const StoredTokens = z.object({ accessToken: z.string(), refreshToken: z.string().nullable() })

/** All providers, for tests that iterate over them. */
export const ALL_PROVIDERS: readonly ProviderId[] = PROVIDERS
