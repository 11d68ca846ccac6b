import type { Retention } from '../console/index.ts'
import { USAGE_KEPT_DAYS } from '../daily-usage/index.ts'
import { RUNS_MAX } from '../evaluations/index.ts'
import { INVITATION_DAYS, WITHOUT_WORKSPACE_DAYS } from '../organizations/index.ts'
import { DELIVERIES_KEPT_DAYS } from '../outgoing-webhooks/index.ts'
import { LOGGED_DAYS, REQUESTS_MAX } from '../request-log/index.ts'
import { RUNS_KEPT_DAYS } from '../sync/index.ts'
import { THREADS_MAX, TURNS_MAX } from '../threads/index.ts'

/** What the slices delete automatically, and when. No setting changes it. */
export const RETENTION: Retention = {
  requestLogDays: LOGGED_DAYS,
  requestsMax: REQUESTS_MAX,
  usageDays: USAGE_KEPT_DAYS,
  syncRunDays: RUNS_KEPT_DAYS,
  webhookDeliveryDays: DELIVERIES_KEPT_DAYS,
  invitationDays: INVITATION_DAYS,
  withoutWorkspaceDays: WITHOUT_WORKSPACE_DAYS,
  threadsMax: THREADS_MAX,
  turnsMax: TURNS_MAX,
  evaluationRunsMax: RUNS_MAX,
}
