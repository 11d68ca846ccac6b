import { startGoogleEmulator, type GoogleEmulator } from '../../emulators/google/google-emulator.ts'
import { type NotionEmulator, startNotionEmulator } from '../../emulators/notion/index.ts'
import { type SlackEmulator, startSlackEmulator } from '../../emulators/slack/index.ts'
import type { Role } from '../../src/kernel/actions.ts'
import { PROVIDERS, type ProviderId } from '../../src/kernel/providers.ts'
import { startIssuer, type TestIssuer } from './issuer.ts'
import { type Person, signIn } from './people.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from './service.ts'

/** The provider emulators, small enough for tests, and the settings that lead to them. */
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

/** A run as the API shows it, once it has ended. */
export interface EndedRun {
  id: string
  status: 'succeeded' | 'failed'
  itemsDiscovered: number
  itemsIngested: number
  itemsDeleted: number
  errorMessage: string | null
}

export interface ConnectedService extends TestService {
  emulators: Emulators
  issuer: TestIssuer
  signIn(subject: string, membership?: { organizationId: string; role: Role }): Promise<Person>
  /** The operator's leave for a gated provider. */
  grant(organizationId: string, provider: ProviderId): Promise<void>
  /** Follows the whole OAuth flow as a browser does; answers the id of the source. */
  connect(person: Person, organizationId: string, provider: ProviderId): Promise<string>
  /** Waits for the source's newest run to end, and answers it. */
  runEnded(organization: TestOrganization, sourceId: string): Promise<EndedRun>
}

const RUN_TIMEOUT_MS = 25_000

/** The whole service with the provider emulators behind it and an identity provider of its own. */
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
    environment: { ...emulators.environment, ...issuer.environment, ...options.service?.environment },
  })
  const grant: ConnectedService['grant'] = async (organizationId, provider) => {
    const path = `/operator/organizations/${organizationId}/connector-access/${provider}`
    await expectStatus(200, service.call('PUT', path, { key: OPERATOR_TOKEN, body: { enabled: true } }))
  }
  return {
    ...service,
    emulators,
    issuer,
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
      const back = await followRedirects(begun.body.url, `${service.url}/console/`)
      const sourceId = new URL(back).searchParams.get('connected')
      if (sourceId === null) throw new Error(`${provider} was not connected: ${back}`)
      return sourceId
    },
    runEnded: (organization, sourceId) => runEnded(service, organization, sourceId),
    async close() {
      await service.close()
      await issuer.close()
      await emulators.close()
    },
  }
}

/** Follows redirects, as a browser does, until one leads to `target`. */
export async function followRedirects(url: string, target: string): Promise<string> {
  let at = url
  for (let hop = 0; hop < 10; hop++) {
    const response = await fetch(at, { redirect: 'manual' })
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`)
    at = new URL(location, at).href
    if (at.startsWith(target)) return at
  }
  throw new Error(`${url} redirects without end`)
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
  const deadline = Date.now() + RUN_TIMEOUT_MS
  for (;;) {
    const { body } = await service.call('GET', '/v1/sync-runs', { key: adminKey })
    const run = body.syncRuns.find((one: { connectorId: string }) => one.connectorId === sourceId)
    if (run?.status === 'succeeded' || run?.status === 'failed') return run
    if (Date.now() > deadline) throw new Error(`the run did not end: ${JSON.stringify(run)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** All providers, for tests that walk them. */
export const ALL_PROVIDERS: readonly ProviderId[] = PROVIDERS
