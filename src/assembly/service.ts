import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type App, createApp } from './app.ts'
import { ensureLocalWorkspace } from '../bootstrap/index.ts'
import type { Settings } from '../config.ts'
import { type SignIn, signInOf } from './console-identity.ts'
import { createConsoleBuild, createGuideBuild, type SiteBuild } from '../console/index.ts'
import type { OpenDatabase } from '../database/database.ts'
import { keptText } from '../database/kept-text.ts'
import { migrateDatabase, openDatabase } from '../database/open-database.ts'
import { configuredModel } from './configured-model.ts'
import { languageSettings } from './model-settings.ts'
import { settingWarnings } from './setting-warnings.ts'
import { createLanguageModel } from '../inference/language-models/create-language-model.ts'
import { loadTermWeights } from '../inference/term-weights.ts'
import { systemClock } from '../kernel/clock.ts'
import { StartupError } from '../kernel/errors.ts'
import { PROVIDERS } from '../providers/index.ts'
import { adoptProviders } from '../sources/index.ts'
import { startTracing, type Tracing } from '../tracing/index.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

/** Applied only to a new database. */
const FIRST_MIGRATION = '0001_foundation'

export interface Service {
  url: string
  database: string
  model: string
  signIn: SignIn
  /** The local workspace's admin key, only on the start that created it. */
  newSecret: string | null
  /** Drains: accepts no new work, finishes requests in flight, then closes everything. */
  close(): Promise<void>
}

/** Starts the service from its settings. @throws StartupError that says what to fix; everything is closed again */
export async function startService(settings: Settings, logger: Logger): Promise<Service> {
  const tracing = await tracingOf(settings, logger)
  const [database, embeddingModel, termWeights] = await Promise.all([
    openDatabaseOf(settings, logger, tracing),
    configuredModel(settings),
    loadTermWeights(),
  ])
  let newSecret: string | null = null
  let app: App | undefined
  const consoleBuild = createConsoleBuild(logger)
  const guideBuild = createGuideBuild(logger)
  try {
    const { migrations, distributed } = await migrateDatabase(database)
    if (migrations.includes(FIRST_MIGRATION)) logger.info('created the database')
    else if (migrations.length > 0) logger.info({ applied: migrations }, 'migrated the database')
    if (distributed.length > 0) logger.info({ tables: distributed }, 'distributed new tables')
    await adoptProviders(database.db, PROVIDERS, systemClock.now())
    const local = isLocal(settings)
      ? await ensureLocalWorkspace(database.db, systemClock, settings.BOOTSTRAP_ADMIN_KEY)
      : null
    newSecret = local?.newSecret ?? null
    let url = settings.PUBLIC_URL ?? ''
    app = await createApp({
      settings,
      database,
      clock: systemClock,
      logger,
      embeddingModel,
      languageModel: createLanguageModel(languageSettings(settings)),
      termWeights,
      fetch,
      tracing,
      operatorToken:
        settings.OPERATOR_TOKEN ??
        (settings.DATABASE_URL === undefined ? await keptOperatorToken(settings.DATA_DIR) : undefined),
      consoleBuild,
      guideBuild,
      publicUrl: () => url,
    })
    const signIn = signInOf(settings)
    for (const warning of settingWarnings(settings)) logger.warn(warning)
    // Takes over from a dead process before serving requests.
    await app.start()
    await listen(app.server, settings)
    const { port } = app.server.server.address() as AddressInfo
    url ||= `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`
    const started = app
    // One after the other: a first start builds both, on a machine with other work.
    if (settings.ROLE !== 'worker') consoleBuild.start(() => guideBuild.start())
    return {
      url,
      database: database.driver === 'embedded' ? `embedded, in ${settings.DATA_DIR}` : 'PostgreSQL',
      model: embeddingModel.id,
      signIn,
      newSecret,
      close: () => drain({ app: started, sites: [consoleBuild, guideBuild], database, tracing, logger }),
    }
  } catch (error) {
    await app?.server.close()
    await app?.stop()
    await database.close()
    await tracing?.close()
    throw newSecret === null ? error : withNewSecret(error, newSecret)
  }
}

/** Finishes running requests and closes everything. */
async function drain(service: {
  app: App
  /** Sites that may still be building. */
  sites: readonly SiteBuild[]
  database: OpenDatabase
  tracing: Tracing | undefined
  logger: Logger
}): Promise<void> {
  const { app, sites, database, tracing, logger } = service
  app.startDraining()
  for (const site of sites) site.stop()
  // Most answers in flight wait for a model; the database writes its pages during that time.
  const flushing = database.flush().catch((err: unknown) => {
    logger.warn({ err }, 'the database could not be written to disk before it is closed')
  })
  await app.server.close()
  await app.stop()
  await flushing
  await database.close()
  await tracing?.close()
}

function openDatabaseOf(
  settings: Settings,
  logger: Logger,
  tracing: Tracing | undefined,
): Promise<OpenDatabase> {
  return openDatabase({
    dataDir: settings.DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    logger,
    onStatement: tracing?.onStatement,
  })
}

async function tracingOf(settings: Settings, logger: Logger): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings
  if (endpoint === undefined) return undefined
  return await startTracing({
    endpoint,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    protocol: settings.OTEL_EXPORTER_OTLP_PROTOCOL,
    serviceName: settings.OTEL_SERVICE_NAME,
    instanceId: randomUUID(),
    resourceAttributes: settings.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: settings.OTEL_TRACES_SAMPLER,
    samplerRatio: settings.OTEL_TRACES_SAMPLER_ARG,
    logger,
  })
}

/** The next start does not create the key again, so the operator must see it now. */
function withNewSecret(error: unknown, newSecret: string): StartupError {
  const reason = messageOf(error)
  const key = `The local workspace was already created. Its admin key, shown only once: ${newSecret}`
  return new StartupError(`${reason}\n\n${key}`, { cause: error })
}

/** A deployment with its own identity provider creates its workspaces in the console. */
function isLocal(settings: Settings): boolean {
  return settings.OIDC_ISSUER === undefined || settings.BOOTSTRAP_ADMIN_KEY !== undefined
}

async function listen(
  server: { listen(options: { host: string; port: number }): Promise<string> },
  { HOST, PORT }: Settings,
): Promise<void> {
  try {
    await server.listen({ host: HOST, port: PORT })
  } catch (error) {
    const reason = messageOf(error)
    throw new StartupError(`HOST, PORT: cannot listen on ${HOST}:${PORT} (${reason})`, { cause: error })
  }
}

/** The local deployment's operator token: created once, readable by its owner only. */
async function keptOperatorToken(dataDir: string): Promise<string> {
  const file = join(dataDir, 'operator-token')
  return (await keptText(file, () => `${randomBytes(32).toString('base64url')}\n`)).trim()
}
