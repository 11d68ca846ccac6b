import { createApiKeys } from '../access/index.ts'
import { createBackups } from '../backup/index.ts'
import type { Billing } from '../billing/index.ts'
import type { Settings } from '../config.ts'
import { createEvaluations } from '../evaluations/index.ts'
import type { Metrics } from '../health/index.ts'
import type { Files, Items } from '../items/index.ts'
import { createSmtpMailer, type Mailer } from '../mail/index.ts'
import { createOperator } from '../operator/index.ts'
import type { OrganizationRemovals } from '../organization-removal/index.ts'
import { createInvitations, createMembers, createOrganizations } from '../organizations/index.ts'
import type { OutgoingWebhooks } from '../outgoing-webhooks/index.ts'
import { createGroups, createScimGroups, createScimTokens, createScimUsers } from '../people/index.ts'
import type { RateLimit } from '../rate-limits/index.ts'
import type { RequestLog } from '../request-log/index.ts'
import { createSources, type Removals } from '../sources/index.ts'
import { createItemSyncs, createSyncRuns } from '../sync/index.ts'
import { createThreads } from '../threads/index.ts'
import type { VectorMemory } from '../vector-memory/index.ts'
import type { ConnectorEngine } from './connector-engine.ts'
import type { AppDependencies } from './dependencies.ts'
import type { EmbeddingEngine } from './embedding-engine.ts'
import { createModelCheck } from './model-check.ts'
import { createOpenApi } from './open-api.ts'
import { createRetrievalEngine } from './retrieval-engine.ts'
import { routes, type Services } from './routes.ts'
import { unreadiness } from './unreadiness.ts'

/** Creates what the routes call. */
export function createServices(
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
  const { database, clock, logger } = deps
  const { items, connectors, removals, billing } = parts
  const { accounts, requireOffered, wake: onQueued } = connectors
  const { models } = parts.embedding
  const { db } = database
  return {
    ...accounts.services,
    db,
    clock,
    publicUrl: deps.publicUrl,
    apiKeys: createApiKeys({ db, clock }),
    organizations: createOrganizations({ db, clock, paymentsConfigured: billing.payments !== null }),
    members: createMembers({ db, clock }),
    threads: createThreads({ db, clock, findReadable: items.findReadable }),
    evaluations: createEvaluations({ db, clock, findReadable: items.findReadable }),
    groups: createGroups({ db, clock }),
    scimUsers: createScimUsers({ db, clock }),
    scimGroups: createScimGroups({ db, clock }),
    scimTokens: createScimTokens({ db, clock }),
    invitations: invitationsOf(deps),
    sources: createSources({
      db,
      clock,
      channels: accounts.channels,
      disconnect: { prepare: accounts.revocations.prepare, run: connectors.disconnect },
      removals,
    }),
    syncRuns: createSyncRuns({ db, clock, requireOffered, onQueued }),
    itemSyncs: createItemSyncs({ db, clock: connectors.clock, items, openAccount: connectors.openAtOnce }),
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
    ...createRetrievalEngine(deps, { ...parts, models, tracer: deps.tracing?.tracer }),
    unreadiness: () => unreadiness(database, parts.isDraining()),
    openApi: createOpenApi(routes, deps.publicUrl),
  }
}

function invitationsOf({
  settings,
  database,
  clock,
  logger,
  publicUrl,
}: AppDependencies): Services['invitations'] {
  return createInvitations({
    db: database.db,
    clock,
    publicUrl,
    mailer: createMailer(settings),
    onUnsent: (err) => logger.warn({ err }, 'an invitation could not be mailed; the console shows its link'),
  })
}

function createMailer({ SMTP_URL: url, MAIL_FROM: from }: Settings): Mailer | null {
  return url === undefined || from === undefined ? null : createSmtpMailer({ url, from })
}
