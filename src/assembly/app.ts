import type { FastifyInstance } from 'fastify'
import { createConnectorEngine } from './connector-engine.ts'
import { createBackgroundWork } from './background-work.ts'
import { type ConsoleIdentity, createConsoleIdentity } from './console-identity.ts'
import { addConsole, addGuide } from '../console/index.ts'
import { createEmbeddingEngine } from './embedding-engine.ts'
import type { ModelRegistry } from '../models/index.ts'
import { createGates } from './create-gates.ts'
import type { Gates } from '../http/gates.ts'
import { createServer } from '../http/create-server.ts'
import { llmsText } from '../http/llms-text.ts'
import { createBillingEngine } from './billing-engine.ts'
import { routes, servedRoutes } from './routes.ts'
import { createPeriodicTasks } from './periodic-tasks.ts'
import { createWebhookEngine } from './webhook-engine.ts'
import { createTextExtractor, recognitionOf } from '../file-text/index.ts'
import {
  createFiles,
  createItems,
  createJournaledIngests,
  type Items,
  type JournaledIngests,
} from '../items/index.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { VERSION } from '../kernel/version.ts'
import { addMetrics, createMetrics, healthRoutes } from '../health/index.ts'
import { addPages, referenceRoutes } from '../reference/index.ts'
import { createOperatorAuthenticator } from '../operator/index.ts'
import { addMcp } from '../mcp/index.ts'
import { describeProviders } from '../providers/index.ts'
import { createRemovals, type Removals } from '../sources/index.ts'
import { dropActiveRuns } from '../sync/index.ts'
import { createRequestCounters } from './request-counters.ts'
import { createOrganizationRemovals } from './organization-removals.ts'
import { openVectorMemory } from './open-vector-memory.ts'
import { tracedGates, tracedLanguageModel } from '../tracing/index.ts'
import type { AppDependencies } from './dependencies.ts'
import { createServices } from './services.ts'

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

function createSourceRemovals({ database: { db }, clock, logger }: AppDependencies): Removals {
  return createRemovals({
    db,
    clock,
    endRuns: dropActiveRuns,
    onError: (err) => logger.error({ err }, 'a removed source could not be deleted; will retry'),
  })
}
