import { accessRoutes } from '../access/index.ts'
import { answerRoutes } from '../answers/index.ts'
import { approximateIndexRoutes } from '../approximate-index/index.ts'
import { auditRoutes } from '../audit/index.ts'
import { backupRoutes } from '../backup/index.ts'
import { billingRoutes } from '../billing/index.ts'
import { connectionRoutes, providerRoutes } from '../connections/index.ts'
import { contextRoutes } from '../context/index.ts'
import { dailyUsageRoutes } from '../daily-usage/index.ts'
import { evaluationRoutes } from '../evaluations/index.ts'
import { healthRoutes } from '../health/index.ts'
import type { Route } from '../http/route.ts'
import { consoleItemRoutes, deleteRoutes, exportRoutes, itemRoutes } from '../items/index.ts'
import { memoryCanvasRoutes } from '../memory-canvas/index.ts'
import { modelCheckRoutes, modelMoveRoutes } from '../models/index.ts'
import { operatorRoutes } from '../operator/index.ts'
import { organizationRemovalRoutes } from '../organization-removal/index.ts'
import { invitationRoutes, organizationRoutes } from '../organizations/index.ts'
import { webhookRoutes } from '../outgoing-webhooks/index.ts'
import { groupRoutes, scimRoutes, scimTokenRoutes } from '../people/index.ts'
import { sourcePermissionRoutes } from '../permission-polls/index.ts'
import { referenceRoutes } from '../reference/index.ts'
import { requestLogRoutes } from '../request-log/index.ts'
import { retrievalRoutes } from '../retrieval/index.ts'
import { sourceRoutes } from '../sources/index.ts'
import { syncRoutes } from '../sync/index.ts'
import { threadRoutes } from '../threads/index.ts'
import { rateLimitRoutes } from '../rate-limits/index.ts'

/** The routes of each slice, in the order of the documentation. */
const SLICES = [
  retrievalRoutes,
  contextRoutes,
  answerRoutes,
  threadRoutes,
  evaluationRoutes,
  itemRoutes,
  consoleItemRoutes,
  exportRoutes,
  deleteRoutes,
  memoryCanvasRoutes,
  modelMoveRoutes,
  accessRoutes,
  requestLogRoutes,
  sourceRoutes,
  sourcePermissionRoutes,
  syncRoutes,
  connectionRoutes,
  providerRoutes,
  auditRoutes,
  organizationRoutes,
  invitationRoutes,
  modelCheckRoutes,
  groupRoutes,
  scimTokenRoutes,
  billingRoutes,
  dailyUsageRoutes,
  rateLimitRoutes,
  webhookRoutes,
  operatorRoutes,
  organizationRemovalRoutes,
  backupRoutes,
  approximateIndexRoutes,
  healthRoutes,
  referenceRoutes,
] as const

type ServicesOf<Routes> = Routes extends readonly Route<infer S>[] ? S : never
/** The intersection of a union's members. */
type All<Union> = (Union extends unknown ? (member: Union) => void : never) extends (all: infer I) => void
  ? I
  : never

export type Services = All<ServicesOf<(typeof SLICES)[number] | typeof scimRoutes>>

/** Every route of the service's own API. SCIM describes itself. */
export const routes: readonly Route<Services>[] = SLICES.flat()

export const servedRoutes: readonly Route<Services>[] = [...routes, ...scimRoutes]
