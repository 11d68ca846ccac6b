import { createPrivateKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { ProviderEnvironment } from '../../provider.ts'
import { required, secretSetting } from '../../settings.ts'

export const githubAppClient = { id: 'GITHUB_APP_CLIENT_ID', secret: 'GITHUB_APP_CLIENT_SECRET' }
export const GITHUB_APP_PRIVATE_KEY = 'GITHUB_APP_PRIVATE_KEY'

export const githubAppSettings = {
  GITHUB_APP_CLIENT_ID: secretSetting.describe(
    "GitHub App's client ID. With the secret and the private key, the console offers `github_app` if `PROVIDERS` names it",
  ),
  GITHUB_APP_CLIENT_SECRET: secretSetting.describe("GitHub App's client secret"),
  GITHUB_APP_PRIVATE_KEY: z
    .string()
    // A file of settings has one line for it.
    .transform((text) => text.replaceAll('\\n', '\n'))
    .refine(isRsaKey, 'must be an RSA private key in PEM form, as GitHub gives it')
    .optional()
    .describe(
      "GitHub App's private key: the content of the `.pem` file, with `\\n` for line ends if it is one line",
    ),
}

export interface GitHubAppSettings {
  clientId: string
  clientSecret: string
  privateKey: KeyObject
}

/** The settings in the adapter's form. @throws when one is not set */
export function readGitHubAppSettings(settings: ProviderEnvironment): GitHubAppSettings {
  return {
    clientId: required(settings[githubAppClient.id], githubAppClient.id),
    clientSecret: required(settings[githubAppClient.secret], githubAppClient.secret),
    privateKey: createPrivateKey(required(settings[GITHUB_APP_PRIVATE_KEY], GITHUB_APP_PRIVATE_KEY)),
  }
}

function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
