// Fixed retention limits; no setting changes them. The console's Settings page shows them.

export const REQUESTS_KEPT_DAYS = 7
/** Per workspace. */
export const REQUESTS_KEPT_MAX = 10_000
/** Including today. A year, and a month to look back at it. */
export const USAGE_KEPT_DAYS = 400
export const SYNC_RUNS_KEPT_DAYS = 30
export const DELIVERIES_KEPT_DAYS = 14
/** For undelivered events. Longer than all retries of a delivery that is replayed on its last day. */
export const WAITING_DELIVERIES_KEPT_DAYS = 28
export const INVITATION_DAYS = 7
/** Days before a user without a workspace is deleted. An invitation may still arrive. */
export const WITHOUT_WORKSPACE_DAYS = 30
/** Per person and workspace. */
export const THREADS_KEPT_MAX = 500
/** Per thread. */
export const TURNS_KEPT_MAX = 50
/** Per workspace. */
export const EVALUATION_RUNS_KEPT_MAX = 20
