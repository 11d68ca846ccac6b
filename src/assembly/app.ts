import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createApiKeys } from '../access/index.ts'
import type { Billing } from '../billing/index.ts'
import { createBackups } from '../backup/index.ts'
import type { Settings } from '../config.ts'
import { type ConnectorEngine, createConnectorEngine, type Sleep } from './connector-engine.ts'
import { createBackgroundWork } from './background-work.ts'
import { type ConsoleIdentity, createConsoleIdentity } from './console-identity.ts'
import { addConsole, addGuide, type SiteBuild } from '../console/index.ts'
import { createEmbeddingEngine, type EmbeddingEngine, type EmbeddingEngineDeps } from './embedding-engine.ts'
import { createEvaluations } from '../evaluations/index.ts'
import type { Choice, ModelRegistry } from '../models/index.ts'
import { modelsDir } from './model-settings.ts'
import { createModelCheck } from './model-check.ts'
import { createGates } from './create-gates.ts'
import type { Gates } from '../http/gates.ts'
import { createServer, type ServerOptions } from '../http/create-server.ts'
import { llmsText } from '../http/llms-text.ts'
import { createBillingEngine } from './billing-engine.ts'
import { routes, servedRoutes, type Services } from './routes.ts'
import { RETENTION } from './retention.ts'
import { createRetrievalEngine } from './retrieval-engine.ts'
import { createPeriodicTasks } from './periodic-tasks.ts'
import { unreadiness } from './unreadiness.ts'
import { createWebhookEngine } from './webhook-engine.ts'
import { createOpenApi } from './open-api.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { createTextExtractor, recognitionOf } from '../file-text/index.ts'
import {
  createFiles,
  createItems,
  createJournaledIngests,
  type Files,
  type Items,
  type JournaledIngests,
} from '../items/index.ts'
import { createSmtpMailer, type Mailer } from '../mail/index.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { VERSION } from '../kernel/version.ts'
import { addMetrics, createMetrics, type Metrics, healthRoutes } from '../health/index.ts'
import { addPages, referenceRoutes } from '../reference/index.ts'
import { createOperator, createOperatorAuthenticator } from '../operator/index.ts'
import { addMcp } from '../mcp/index.ts'
import type { OrganizationRemovals } from '../organization-removal/index.ts'
import { createInvitations, createMembers, createOrganizations } from '../organizations/index.ts'
import type { OutgoingWebhooks } from '../outgoing-webhooks/index.ts'
import { createGroups, createScimGroups, createScimTokens, createScimUsers } from '../people/index.ts'
import { describeProviders } from '../providers/index.ts'
import { createRemovals, createSources, type Removals } from '../sources/index.ts'
import { createItemSyncs, createSyncRuns, dropActiveRuns } from '../sync/index.ts'
import type { RequestLog } from '../request-log/index.ts'
import { createThreads } from '../threads/index.ts'
import type { RateLimit } from '../rate-limits/index.ts'
import { createRequestCounters } from './request-counters.ts'
import { createOrganizationRemovals } from './organization-removals.ts'
import { openVectorMemory } from './open-vector-memory.ts'
import { tracedGates, tracedLanguageModel, type Tracing } from '../tracing/index.ts'
import type { VectorMemory } from '../vector-memory/index.ts'
import type { Foundation } from './foundation.ts'

/** Everything that the service takes from outside. */
export interface AppDependencies extends Foundation {
  logger: Logger
  embeddingModel: EmbeddingModel
  /** The settings of the model that was chosen while the service ran. */
  choice?: Choice | null
  languageModel: LanguageModel | null
  /** How words are tokenized and weighted when sentences are compared with a question. */
  termWeights: TermWeights
  fetch: typeof fetch
  /** Where traces and metrics are sent; absent, nothing is traced. */
  tracing?: Pick<Tracing, 'tracer' | 'exportMetrics'> | undefined
  operatorToken: string | undefined
  /** The console's files; absent, there is no console. */
  consoleBuild?: SiteBuild
  /** The documentation's files, served beside the console. */
  guideBuild?: SiteBuild
  /** The base URL in links, without a trailing slash. Called only once the server listens. */
  publicUrl: () => string
  /** How long clients can take to send a request; for tests. */
  timeouts?: ServerOptions<unknown>['timeouts']
  /** How sync runs wait before they retry; for tests. */
  sleep?: Sleep
  /** How often moves to a chosen embedding model are checked, and how long they may fail; for tests. */
  choiceTimes?: EmbeddingEngineDeps['choiceTimes']
}

export interface App {
  server: FastifyInstance
  /** Starts the background work of this process's role. */
  start(): Promise<void>
  /** From now on `/readyz` answers 503. */
  startDraining(): void
  /** Runs billing's pending comparisons and reports now. For tests, with the role `api`. */
  settleBilling(): Promise<void>
  /** Reads unread items for the memory canvas now. For tests, with any role. */
  readForCanvas(): Promise<void>
  /** Stops the background work. */
  stop(): Promise<void>
}

/** Creates the service: the only place where adapters meet slices. Nothing runs or listens yet. */
export async function createApp(given: AppDependencies): Promise<App> {
  const deps = tracedDependencies(given)
  const { settings, database, clock, logger, publicUrl, tracer } = deps
  const { db } = database
  let draining = false
  const metrics = createMetrics()
  deps.tracing?.exportMetrics(metrics.registry)
  const { credits, rateLimit, messageLimits, requestLog } = createRequestCounters(deps)
  const identity = createConsoleIdentity({ ...deps, db })
  const embedding = await createEmbeddingEngine(deps)
  const { models } = embedding
  const { items, journaled } = createJournaledItems(deps, models)
  const extractor = createTextExtractor({ recognition: recognitionOf(settings.OCR) })
  const files = createFiles({ db, items, extractor })
  const connectors = await createConnectorEngine({ ...deps, items, metrics })
  const billing = await createBillingEngine({ ...deps, metrics })
  const outgoing = createWebhookEngine({ ...deps, metrics })
  const removals = createSourceRemovals(deps)
  const isDraining = (): boolean => draining
  const memory = await openVectorMemory(deps, metrics)
  const kept = { embedding, items, journaled, files, connectors, removals, billing, outgoing, memory }
  const organizationRemovals = createOrganizationRemovals(deps, kept)
  const parts = { ...kept, metrics, organizationRemovals, rateLimit, requestLog, isDraining }
  const services = createServices(deps, parts)
  const ungated = createGates({
    db,
    clock,
    verifyToken: identity.verifyToken,
    onSignIn: identity.onSignIn,
    authenticateOperator: createOperatorAuthenticator(deps.operatorToken),
    rateLimit,
    messageLimits,
    credits,
  })
  const gates = tracer ? tracedGates(ungated, tracer) : ungated
  const server = await createServer({
    routes: settings.ROLE === 'worker' ? [...healthRoutes, ...referenceRoutes] : servedRoutes,
    services,
    gates,
    logger,
    publicUrl,
    onReceived: metrics.observeRequest,
    onSent: [metrics.observeResponse, requestLog.add],
    isDraining,
    tracer,
    ...(deps.timeouts ? { timeouts: deps.timeouts } : {}),
    mounted: identity.mounted,
  })
  addMetrics(server, metrics)
  addPages(server, {
    version: VERSION,
    hasConsole: settings.ROLE !== 'worker' && deps.consoleBuild !== undefined,
    unreadiness: services.unreadiness,
    llmsText: () =>
      llmsText(routes, { url: publicUrl(), requestsPerMinute: settings.API_RATE_LIMIT_PER_MIN }),
  })
  if (settings.ROLE !== 'worker') await addAgentsAndPeople(server, deps, { gates, identity })
  const background = createBackgroundWork(deps, {
    ...parts,
    periodicTasks: [...createPeriodicTasks({ credits, rateLimit }, { ...deps, db }), requestLog],
    metrics,
    memory,
  })
  return {
    server,
    ...background,
    startDraining: () => void (draining = true),
    settleBilling: () => billing.settle(),
  }
}

/** MCP for agents, and the console and the guide for people. */
async function addAgentsAndPeople(
  server: FastifyInstance,
  { consoleBuild: build, guideBuild: guide, languageModel }: AppDependencies,
  { gates, identity }: { gates: Gates; identity: ConsoleIdentity },
): Promise<void> {
  addMcp(server, { routes, gates, version: VERSION, issuer: identity.issuer })
  if (!build) return
  const { signIn, backendSignIn } = identity
  const given = {
    hasLanguageModel: languageModel !== null,
    providers: describeProviders(),
    retention: RETENTION,
  }
  await addConsole(server, { build, signIn, backendSignIn, ...given })
  if (guide) await addGuide(server, guide)
}

function tracedDependencies(deps: AppDependencies): AppDependencies & { tracer: Tracer | undefined } {
  const { languageModel, tracing } = deps
  const tracer = tracing?.tracer
  if (!tracer || !languageModel) return { ...deps, tracer }
  return { ...deps, tracer, languageModel: tracedLanguageModel(languageModel, tracer) }
}

/** With the embedded database requests share one session, so large ingests are stored in short transactions. */
function createJournaledItems(
  { database, clock, logger }: AppDependencies,
  models: ModelRegistry,
): { items: Items; journaled: JournaledIngests | null } {
  const { db, driver, isAwaited } = database
  const onError = (err: unknown): void =>
    logger.error({ err }, 'a committed ingest could not be finished; will retry')
  const journaled =
    driver === 'embedded' ? createJournaledIngests({ db, models, clock, isAwaited, onError }) : null
  return { items: createItems({ db, models, clock, journaled }), journaled }
}

function createMailer({ SMTP_URL: url, MAIL_FROM: from }: Settings): Mailer | null {
  return url === undefined || from === undefined ? null : createSmtpMailer({ url, from })
}

function createSourceRemovals({ database: { db }, clock, logger }: AppDependencies): Removals {
  return createRemovals({
    db,
    clock,
    endRuns: dropActiveRuns,
    onError: (err) => logger.error({ err }, 'a removed source could not be deleted; will retry'),
  })
}

/** The slices with their dependencies. */
function createServices(
  deps: AppDependencies,
  parts: {
    embedding: EmbeddingEngine
    items: Items
    files: Files
    connectors: ConnectorEngine
    removals: Removals
    organizationRemovals: OrganizationRemovals
    billing: Billing
    outgoing: OutgoingWebhooks
    metrics: Metrics
    memory: VectorMemory | null
    rateLimit: RateLimit
    requestLog: RequestLog
    isDraining: () => boolean
  },
): Services {
  const { settings, database, clock, logger } = deps
  const { items, connectors, removals, billing } = parts
  const { accounts, requireOffered, wake: onQueued } = connectors
  const { models } = parts.embedding
  const { db } = database
  return {
    ...accounts.services,
    db,
    clock,
    apiKeys: createApiKeys({ db, clock }),
    organizations: createOrganizations({ db, clock, paymentsConfigured: billing.payments !== null }),
    members: createMembers({ db, clock }),
    threads: createThreads({ db, clock, findReadable: items.findReadable }),
    evaluations: createEvaluations({ db, clock, findReadable: items.findReadable }),
    groups: createGroups({ db, clock }),
    scimUsers: createScimUsers({ db, clock }),
    scimGroups: createScimGroups({ db, clock }),
    scimTokens: createScimTokens({ db, clock }),
    invitations: createInvitations({
      db,
      clock,
      publicUrl: deps.publicUrl,
      mailer: createMailer(settings),
      onUnsent: (err) =>
        logger.warn({ err }, 'an invitation could not be mailed; the console shows its link'),
    }),
    sources: createSources({
      db,
      clock,
      channels: accounts.channels,
      disconnect: { prepare: accounts.revocations.prepare, run: connectors.disconnect },
      removals,
    }),
    syncRuns: createSyncRuns({ db, clock, requireOffered, onQueued }),
    itemSyncs: createItemSyncs({ db, clock, items, openAccount: connectors.openAtOnce }),
    billing,
    outgoingWebhooks: parts.outgoing,
    rateLimit: parts.rateLimit,
    requestLog: parts.requestLog,
    operator: createOperator({ db, clock, logger, billing }),
    organizationRemovals: parts.organizationRemovals,
    backups: createBackups(deps),
    items,
    files: parts.files,
    ...parts.embedding,
    modelCheck: createModelCheck(deps, parts.embedding),
    modelsDir: modelsDir(settings),
    ...createRetrievalEngine(deps, { ...parts, models, tracer: deps.tracing?.tracer }),
    unreadiness: () => unreadiness(database, parts.isDraining()),
    openApi: createOpenApi(routes, deps.publicUrl),
  }
}
