/**
 * Why a source cannot be read. `access_ended`: the account's grant has expired or was revoked. `missing_permission`: the
 * grant lacks one. `app_blocked`: an administrator does not allow this app. `api_disabled`: the operator's project has
 * the API turned off. `access_refused`: no further reason. `not_configured`: this deployment lacks the provider's
 * settings.
 */
export const FAILURE_CODES = [
  'access_ended',
  'missing_permission',
  'app_blocked',
  'api_disabled',
  'access_refused',
  'not_configured',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** Why an item is not stored. `service_failed`: the service failed on it. `not_storable`: a limit, or the model's refusal. */
export const ITEM_FAILURE_CODES = ['service_failed', 'not_storable'] as const
export type ItemFailureCode = (typeof ITEM_FAILURE_CODES)[number]
