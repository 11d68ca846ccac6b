/** How people sign in, as the console's page receives it. */
export type ConsoleSignIn =
  | {
      by: 'issuer' | 'development'
      issuer: string
      clientId: string
      scope: string
      resource: string | null
      /** The address of the issuer's endpoints; null: the issuer itself. */
      metadataUrl: string | null
      /** Which of the issuer's tokens the API accepts. */
      token: 'access_token' | 'id_token'
    }
  | { by: 'nobody'; reason: string }

/** How long the service stores what nobody deletes, as the page's Settings show it. */
export interface Retention {
  requestLogDays: number
  /** Of a workspace. */
  requestsMax: number
  usageDays: number
  syncRunDays: number
  webhookDeliveryDays: number
  invitationDays: number
  /** People without a workspace. */
  withoutWorkspaceDays: number
  /** Of a person in a workspace. */
  threadsMax: number
  /** Of a thread. */
  turnsMax: number
  /** Of a workspace. */
  evaluationRunsMax: number
}
