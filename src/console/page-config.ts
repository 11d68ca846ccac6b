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
