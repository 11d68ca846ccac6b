import type { AdapterDependencies, ProviderEnvironment } from '../../provider.ts'
import { required, secretSetting, urlSetting } from '../../settings.ts'
import type { GoogleSettings } from './oauth.ts'

const settings = {
  GOOGLE_CLIENT_ID: secretSetting.describe(
    "Google OAuth client's ID. With the secret, the console offers Google Drive and Gmail",
  ),
  GOOGLE_CLIENT_SECRET: secretSetting.describe("Google OAuth client's secret"),
  GOOGLE_API_URL: urlSetting.describe(
    'Replaces https://www.googleapis.com; drive/v3 and gmail/v1 are below it',
  ),
  GOOGLE_AUTH_URL: urlSetting.describe(
    'Replaces https://accounts.google.com and https://oauth2.googleapis.com',
  ),
}

/** What Google's providers share. */
export const google = {
  settings,
  client: { id: 'GOOGLE_CLIENT_ID', secret: 'GOOGLE_CLIENT_SECRET' },
  isGated: true,
  // Revoking a grant ends the app's whole access to the account, for Drive and Gmail.
  grants: { family: 'google' },
}

export interface GoogleAdapterOptions extends AdapterDependencies {
  settings: GoogleSettings
}

/** The settings in the adapters' form. @throws when the client is not set */
export function readGoogleSettings(environment: ProviderEnvironment): GoogleSettings {
  return {
    clientId: required(environment['GOOGLE_CLIENT_ID'], 'GOOGLE_CLIENT_ID'),
    clientSecret: required(environment['GOOGLE_CLIENT_SECRET'], 'GOOGLE_CLIENT_SECRET'),
    apiUrl: environment['GOOGLE_API_URL'] ?? null,
    authUrl: environment['GOOGLE_AUTH_URL'] ?? null,
  }
}
