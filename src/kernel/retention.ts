// How long and how much the service stores of what nobody deletes. No setting changes it; the console's Settings show it.

export const REQUESTS_KEPT_DAYS = 7
/** Of a workspace. */
export const REQUESTS_KEPT_MAX = 10_000
/** Today included: a year, and a month to look back at it. */
export const USAGE_KEPT_DAYS = 400
export const SYNC_RUNS_KEPT_DAYS = 30
export const DELIVERIES_KEPT_DAYS = 14
/** Of a delivery that still waits. Longer than all retries of one that is replayed on its last day. */
export const WAITING_DELIVERIES_KEPT_DAYS = 28
export const INVITATION_DAYS = 7
/** Of a user, whose invitation may still come. */
export const WITHOUT_WORKSPACE_DAYS = 30
/** Of a person in a workspace. */
export const THREADS_KEPT_MAX = 500
/** Of a thread. */
export const TURNS_KEPT_MAX = 50
/** Of a workspace. */
export const EVALUATION_RUNS_KEPT_MAX = 20
