import { isOperatedLocally } from './console-identity.ts'
import { setTimeout } from 'node:timers/promises'
import { createDatabaseClock, createTask, type DatabaseClock, measureClockLag } from '../background/index.ts'
import { type ProviderAccounts, createProviderAccounts } from '../connections/index.ts'
import type { OpenDatabase } from '../database/database.ts'
import { recognitionOf } from '../file-text/index.ts'
import type { Items } from '../items/index.ts'
import { MINUTE_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { traced, type Tracer } from '../kernel/tracer.ts'
import { createPermissionPoller, type OpenSource, type PermissionPoller } from '../permission-polls/index.ts'
import { PROVIDERS, createProviderAdapters, findProvider, type ProviderAdapters } from '../providers/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Metrics } from '../health/index.ts'
import {
  createSyncWorker,
  type ItemSyncDependencies,
  type OpenAccount,
  storedIds,
  type SyncWorker,
  type SyncWorkerDependencies,
  type LeasedRun,
  withoutMessage,
} from '../sync/index.ts'
import type { Logger } from '../kernel/logger.ts'
import { encryptionKeys } from './encryption-keys.ts'
import type { Foundation } from './foundation.ts'

export interface ConnectorEngine {
  accounts: ProviderAccounts
  /** When a source was read, on every instance. */
  clock: DatabaseClock
  /** @throws `not_configured` for a provider that this deployment does not offer */
  requireOffered(provider: ProviderId): void
  /** Opens an account for a user who waits. */
  openAtOnce: ItemSyncDependencies['openAccount']
  /** A sync run was queued: looks for it now. */
  wake(): void
  /** Revokes the grants of removed sources; failures are logged and retried. */
  disconnect(): Promise<void>
  /** Processes sync runs and keeps grants fresh, unless this process only answers requests. */
  start(): Promise<void>
  /** Releases the sync runs in progress and stops the rest of the background work. */
  stop(): Promise<void>
}

/** Waits, or throws the reason of the signal. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

const sleepFor: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal })

const MAINTAIN_MS = 60_000

/** Creates the providers, their accounts and the worker of their sync runs. */
export async function createConnectorEngine(
  deps: Foundation & {
    items: Items
    metrics: Metrics
    tracer?: Tracer | undefined
    publicUrl: () => string
    sleep?: Sleep | undefined
  },
): Promise<ConnectorEngine> {
  const { settings, database, clock, logger, metrics } = deps
  const { db } = database
  const databaseClock = createDatabaseClock(clock, () => measureClockLag(db))
  const adapters = await createProviderAdapters(settings.providers, clock, recognitionOf(settings.OCR))
  const onError = errorLog(logger)
  const wake = (): void => worker.wake()
  const accounts = createProviderAccounts({
    db,
    clock,
    random: Math.random,
    adapters,
    encryptionKeys: await encryptionKeys(settings, adapters.offered.length > 0),
    gated: settings.GATED_PROVIDERS,
    isLocal: isOperatedLocally(settings),
    environment: settings.providers,
    publicUrl: deps.publicUrl,
    onQueued: wake,
    onError,
  })
  const worker: SyncWorker = createSyncWorker({
    db,
    clock: databaseClock,
    items: deps.items,
    providers: adapters.offered,
    unoffered: unofferedBy(adapters),
    intervalMs: settings.SYNC_INTERVAL_MINUTES * MINUTE_MS,
    random: Math.random,
    openAccount: openAccountOf(database, accounts),
    sleep: deps.sleep ?? sleepFor,
    onPage: metrics.observePage,
    onItemFault: logItemFault(logger),
    onWait: ({ run, until }) =>
      logger.info({ ...runFields(run), until }, 'a sync run waits as long as its provider asks'),
    onRunEnded: observeEnd(logger, metrics),
    follow: followRuns(deps.tracer),
    onError,
  })
  const permissions = permissionPollerOf({ ...deps, clock: databaseClock }, accounts, adapters)
  const maintenance = createTask({ act: accounts.maintain, intervalMs: MAINTAIN_MS, onError })
  return {
    accounts,
    clock: databaseClock,
    openAtOnce: openAtOnceOf(database, accounts),
    requireOffered: (provider) => void adapters.get(provider),
    wake,
    disconnect: () => accounts.revocations.run().catch(onError),
    async start() {
      if (settings.ROLE === 'api') return
      worker.start()
      permissions.start()
      if (adapters.offered.length > 0) maintenance.start()
    },
    async stop() {
      await Promise.all([maintenance.stop(), worker.stop(), permissions.stop()])
      // A token that a provider has already renewed must not be lost with the process.
      await accounts.settle()
      await adapters.close()
    },
  }
}

function errorLog(logger: Logger): (err: unknown) => void {
  return (err) => logger.error({ err }, 'a connection task failed; will retry')
}

function permissionPollerOf(
  {
    database,
    clock,
    items,
    logger,
  }: { database: OpenDatabase; clock: DatabaseClock; items: Items; logger: Logger },
  accounts: ProviderAccounts,
  { offered }: ProviderAdapters,
): PermissionPoller {
  return createPermissionPoller({
    db: database.db,
    clock,
    random: Math.random,
    items,
    providers: offered.filter((provider) => findProvider(provider).reportsReaders),
    openSource: openSourceOf(database, accounts),
    wait: sleepFor,
    onError: (err) => logger.error({ err }, 'the permissions of a source could not be read; will retry'),
  })
}

function logItemFault(logger: Logger): SyncWorkerDependencies['onItemFault'] {
  const words = 'an item could not be read or stored; the run continues and lists it among its failures'
  return (run, fault) => logger.error({ ...runFields(run), err: withoutMessage(fault) }, words)
}

/** Each sync run is its own trace. */
function followRuns(tracer: Tracer | undefined): SyncWorkerDependencies['follow'] {
  if (tracer === undefined) return undefined
  return ({ runId, source: { provider } }, work) =>
    traced(
      tracer,
      `sync ${provider}`,
      { parent: 'none', attributes: { 'memory.provider': provider, 'memory.sync_run.id': runId } },
      async (span) => {
        const outcome = await work()
        span.set({ 'memory.sync_run.end': outcome.end })
        if (outcome.end === 'failed') span.end({ error: outcome.cause })
        return outcome
      },
    )
}

/** Counts and logs how runs end. */
function observeEnd(logger: Logger, metrics: Metrics): SyncWorkerDependencies['onRunEnded'] {
  return ({ run, outcome, seconds }) => {
    metrics.observeRun({ provider: run.source.provider, end: outcome.end, seconds })
    const fields = { ...runFields(run), seconds }
    if (outcome.end === 'succeeded') logger.info(fields, 'a sync run succeeded')
    else if (outcome.end === 'released')
      logger.info({ ...fields, reason: String(outcome.cause) }, 'a sync run was released and continues later')
    else if (outcome.end === 'lost')
      logger.info(
        { ...fields, reason: String(outcome.cause) },
        'a sync run was abandoned: another worker has it, or its source was deleted',
      )
    else logger.warn({ ...fields, end: outcome.end, err: outcome.cause }, 'a sync run did not succeed')
  }
}

function runFields({ organizationId, runId, source }: LeasedRun) {
  return { organizationId, runId, sourceId: source.sourceId, provider: source.provider }
}

/** Why each of the other providers is not offered. */
function unofferedBy(adapters: ProviderAdapters): Map<ProviderId, string> {
  const reasons = new Map<ProviderId, string>()
  for (const provider of PROVIDERS) {
    try {
      adapters.get(provider)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      reasons.set(provider, error.message)
    }
  }
  return reasons
}

function openAccountOf(database: OpenDatabase, accounts: ProviderAccounts): OpenAccount {
  const openSource = openSourceOf(database, accounts)
  return ({ source }, options) => openSource(source, options)
}

function openSourceOf({ db }: OpenDatabase, accounts: ProviderAccounts): OpenSource {
  return (source, options) =>
    accounts.openAccount(source, { ...options, storedIds: (range) => storedIds(db, source, range) })
}

/** A user waits for the answer, so the limits on waiting are short. */
const AT_ONCE = { requestTimeoutMs: 15_000, maxRateLimitWaitMs: 10_000, maxAttempts: 2 }

function openAtOnceOf({ db }: OpenDatabase, accounts: ProviderAccounts): ConnectorEngine['openAtOnce'] {
  return (source, signal) =>
    accounts.openAccount(source, {
      signal,
      wait: (ms) => sleepFor(ms, signal),
      storedIds: (range) => storedIds(db, source, range),
      limits: AT_ONCE,
    })
}
