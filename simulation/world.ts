import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startNotionEmulator, type NotionEmulator } from '../emulators/notion/index.ts'
import { startSlackEmulator, type SlackEmulator } from '../emulators/slack/index.ts'
import { startStripeEmulator, type StripeEmulator } from '../emulators/stripe/index.ts'
import type { EmulatorReply, EmulatorRequest } from '../emulators/kit/server.ts'
import { createTestDatabase, type TestDatabase } from '../test/support/database.ts'
import { OPERATOR_TOKEN } from '../test/support/service.ts'
import { createFaults, type Faults } from './faults.ts'
import { createFleet, type Fleet, SERVICE_URL } from './fleet.ts'
import { createNetwork, type Network } from './network.ts'
import { MODEL_URL, serveEmbeddings } from './model-server.ts'
import { connect, ENCRYPTION_KEY, makeOrganization, type SimulatedOrganization } from './organizations.ts'
import { replace, replaceRandomness } from './replace-globals.ts'
import { installTime, type SimulatedTime } from './simulated-time.ts'
import { createStreams, type Streams } from './streams.ts'

export interface Plan {
  seed: number
  rounds: number
  /** Rounds and faults that are left out, for shrinking. */
  skipRounds: ReadonlySet<number>
  skipFaults: ReadonlySet<number>
  log: (line: string) => void
}

/** Everything in one seed: the service, its dependencies, and what clients know. */
export interface World {
  plan: Plan
  time: SimulatedTime
  streams: Streams
  faults: Faults
  database: TestDatabase
  fleet: Fleet
  organizations: SimulatedOrganization[]
  slack: SlackEmulator
  notion: NotionEmulator
  stripe: StripeEmulator
  /** The processor's customer whose answers are charged. */
  customerId: string
  rateLimit: number
  /** How many texts were written at providers. */
  written: number
  violations: string[]
  violate(what: string): void
  close(): Promise<void>
}

const STARTS_AT = Date.UTC(2026, 0, 12, 9)
const CLOSE_MAX_MS = 86_400_000
const CREDITS = { capped: 25, metered: 8 }
const SCOPES =
  'channels:read,channels:history,channels:join,groups:read,groups:history,users:read,users:read.email,team:read'

export async function makeWorld(plan: Plan): Promise<World> {
  const streams = createStreams(plan.seed)
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(path.join(tmpdir(), 'simulation-'))
  const time = installTime(STARTS_AT)
  const restoreRandomness = replaceRandomness(streams)
  const faults = createFaults(streams, plan.skipFaults)
  const network = createNetwork(time, faults)
  const restoreFetch = replace(globalThis, { fetch: network.fetch })
  const emulators = await startEmulators()
  const { slack, notion, stripe } = emulators
  const rateLimit = streams.between('rate limit', 6, 30)
  const environment = {
    ...slack.env,
    ...notion.env,
    ...stripe.env,
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
    API_RATE_LIMIT_PER_MIN: String(rateLimit),
    SEARCH_MEMORY_MB: streams.draw('search memory') < 0.5 ? '0' : '8',
  }
  const isFleet = database.driver === 'postgres' || streams.draw('how many processes') < 0.6
  const processes = { driver: isFleet ? 'postgres' : database.driver, size: isFleet ? 2 : 1 } as const
  const fleet = createFleet({
    database,
    ...processes,
    environment,
    time,
    faults,
    streams,
    network,
    log: plan.log,
  })
  network.add(new URL(slack.url).origin, { place: 'provider', serve: slack.serve })
  network.add(new URL(notion.url).origin, { place: 'provider', serve: notion.serve })
  network.add(new URL(stripe.url).origin, { place: 'processor', serve: stripe.serve })
  network.add(SERVICE_URL, { place: 'provider', serve: (request) => serveByFleet(fleet, request) })
  network.add(MODEL_URL, { place: 'model', serve: serveEmbeddings })
  const violations: string[] = []
  const world: World = {
    plan,
    time,
    streams,
    faults,
    database,
    fleet,
    organizations: [],
    slack,
    notion,
    stripe,
    customerId: '',
    rateLimit,
    written: 0,
    violations,
    violate: (what) => void violations.push(what),
    close: () => close(world, { dataDir, restore: [restoreFetch, restoreRandomness, time.uninstall] }),
  }
  // The first start loads modules.
  time.waitForElsewhere(true)
  await time.until(
    time.outside(() => fleet.fill()),
    CLOSE_MAX_MS,
  )
  await time.until(settle(world, network), CLOSE_MAX_MS)
  time.waitForElsewhere(database.driver === 'postgres')
  return world
}

async function close(
  { fleet, time, slack, notion, stripe, database }: World,
  { dataDir, restore }: { dataDir: string; restore: (() => void)[] },
): Promise<void> {
  fleet.stop()
  // They retry their events until they give up.
  await time.until(Promise.all([slack.close(), notion.close(), stripe.close()]), CLOSE_MAX_MS)
  await time.settle()
  for (const undo of restore) undo()
  await database.close()
  await rm(dataDir, { recursive: true, force: true })
}

async function startEmulators() {
  const slack = await startSlackEmulator({
    seed: { channels: 0, memberChannels: 0, users: 2 },
    eventsUrl: `${SERVICE_URL}/v1/webhooks/slack`,
  })
  const notion = await startNotionEmulator({ seed: { pages: 0, databases: 0, users: 2 } })
  const stripe = await startStripeEmulator({ webhookUrl: `${SERVICE_URL}/v1/webhooks/stripe` })
  return { slack, notion, stripe }
}

/** Three workspaces: one without limits and with Slack, one with a hard cap and Notion, one whose extra answers are charged. */
async function settle(world: World, network: Network): Promise<void> {
  const { db } = world.database
  const at = new Date(world.time.now())
  const make = (terms: Pick<SimulatedOrganization, 'name' | 'plan' | 'creditsIncluded'>) =>
    makeOrganization(db, terms, at)
  const open = await make({ name: 'open', plan: 'unlimited', creditsIncluded: null })
  const capped = await make({ name: 'capped', plan: 'capped', creditsIncluded: CREDITS.capped })
  const metered = await make({ name: 'metered', plan: 'metered', creditsIncluded: CREDITS.metered })
  world.organizations.push(open, capped, metered)

  const { slack, notion, stripe } = world
  slack.state.addChannel({ name: 'general', isMember: true })
  const team = { provider: 'slack', externalAccountId: slack.team.id, displayName: slack.team.name } as const
  open.connected.slack = await connect(db, open.id, team, { grants: slack.grants, scope: SCOPES, at })
  const { workspace } = notion
  const wiki = { provider: 'notion', externalAccountId: workspace.id, displayName: workspace.name } as const
  capped.connected.notion = await connect(db, capped.id, wiki, { grants: notion.grants, scope: '', at })

  await operate(world, capped, { status: 'active', tier: 'builder', creditsIncluded: CREDITS.capped })
  await operate(world, metered, { status: 'active', tier: 'studio', creditsIncluded: CREDITS.metered })
  const response = await network.fetch(`${stripe.url}/v1/customers`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stripe.env.STRIPE_SECRET_KEY ?? ''}` },
    body: new URLSearchParams({ 'metadata[organizationId]': metered.id }),
  })
  const customer: unknown = await response.json()
  if (typeof customer !== 'object' || customer === null || !('id' in customer))
    throw new Error('the processor made no customer')
  world.customerId = String(customer.id)
  await db
    .insertInto('payment_accounts')
    .values({ organization_id: metered.id, customer_id: world.customerId, created_at: at })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet({ customer_id: world.customerId }),
    )
    .execute()
}

async function operate(world: World, { id }: SimulatedOrganization, body: object): Promise<void> {
  const reply = await world.fleet.call({
    method: 'PUT',
    path: `/operator/organizations/${id}/subscription`,
    key: OPERATOR_TOKEN,
    body,
  })
  if (reply?.status !== 200) throw new Error(`the operator was answered ${JSON.stringify(reply)}`)
}

/** A webhook arrives at any process. */
async function serveByFleet(fleet: Fleet, request: EmulatorRequest): Promise<EmulatorReply | null> {
  const { method, path: pathname, headers, body } = request
  const query = request.query.size > 0 ? `?${request.query.toString()}` : ''
  const reply = await fleet.call({ method, path: pathname + query, raw: body, headers })
  return reply === null ? null : { status: reply.status, json: reply.body ?? {} }
}
