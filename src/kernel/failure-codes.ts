/** Why a source cannot be read. */
export const FAILURE_CODES = [
  // The account's grant has expired or was revoked.
  'access_ended',
  // A permission is missing from the grant.
  'missing_permission',
  // An administrator does not allow this app.
  'app_blocked',
  // The API is turned off in the operator's project.
  'api_disabled',
  // The provider gave no reason.
  'access_refused',
  // This deployment lacks the provider's settings.
  'not_configured',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** Why an item is not stored. */
export const ITEM_FAILURE_CODES = [
  // Processing failed; the log has the cause.
  'service_failed',
  // Over a limit, or rejected by the embedding model.
  'not_storable',
] as const
export type ItemFailureCode = (typeof ITEM_FAILURE_CODES)[number]
