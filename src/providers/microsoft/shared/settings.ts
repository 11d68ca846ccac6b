import { z } from 'zod'
import type { AdapterDependencies, ProviderEnvironment } from '../../provider.ts'
import { required, secretSetting, urlSetting } from '../../settings.ts'

const GRAPH = 'https://graph.microsoft.com'
const LOGIN = 'https://login.microsoftonline.com'

const settings = {
  MICROSOFT_CLIENT_ID: secretSetting.describe(
    "Microsoft Entra app registration's ID. With the secret, the console offers those of `onedrive`, `outlook` and `teams` that `PROVIDERS` names",
  ),
  MICROSOFT_CLIENT_SECRET: secretSetting.describe("Microsoft Entra app registration's secret"),
  MICROSOFT_TENANT: z
    .string()
    .regex(/^[\w.-]+$/, 'must be common, organizations, or the ID or a domain of a tenant')
    .optional()
    .describe(
      'Who may connect: `common` (the default) or `organizations` for accounts of any tenant, or the ID or a domain of one',
    ),
  MICROSOFT_API_URL: urlSetting.describe(`Replaces ${GRAPH}; v1.0 is below it`),
  MICROSOFT_AUTH_URL: urlSetting.describe(`Replaces ${LOGIN}`),
}

/** What Microsoft's providers share. */
export const microsoft = {
  settings,
  client: { id: 'MICROSOFT_CLIENT_ID', secret: 'MICROSOFT_CLIENT_SECRET' },
  // An app cannot revoke its grant; the user or an administrator does.
  grants: { family: 'microsoft', isShared: () => false },
}

export interface MicrosoftAdapterOptions extends AdapterDependencies {
  settings: MicrosoftSettings
  /** Items per page of a run; 50 by default. */
  itemsPerPage?: number
}

export interface MicrosoftSettings {
  clientId: string
  clientSecret: string
  tenant: string
  apiUrl: string
  authUrl: string
}

/** The settings in the adapters' form. @throws when the client is not set */
export function readMicrosoftSettings(environment: ProviderEnvironment): MicrosoftSettings {
  return {
    clientId: required(environment['MICROSOFT_CLIENT_ID'], 'MICROSOFT_CLIENT_ID'),
    clientSecret: required(environment['MICROSOFT_CLIENT_SECRET'], 'MICROSOFT_CLIENT_SECRET'),
    tenant: environment['MICROSOFT_TENANT'] ?? 'common',
    apiUrl: environment['MICROSOFT_API_URL'] ?? GRAPH,
    authUrl: environment['MICROSOFT_AUTH_URL'] ?? LOGIN,
  }
}
