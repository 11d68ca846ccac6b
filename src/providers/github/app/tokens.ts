import { sign } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../../../kernel/clock.ts'
import { type Credentials, ProviderError } from '../../adapter.ts'
import { parseAnswer, type RestAnswer, type RestRequest, sendWithToken } from '../../rest.ts'
import { restOptionsOf } from '../client.ts'
import type { GitHubAppSettings } from './settings.ts'

/** GitHub accepts at most ten minutes, and recommends a start one minute in the past, because clocks differ. */
const CLOCK_SECONDS = 60
const LIFETIME_SECONDS = 9 * 60

const Token = z.object({ token: z.string().min(1), expires_at: z.coerce.date() })

/** Requests of a GitHub App, apart from a source's runs. */
export interface GitHubAppCalls {
  /** Sends a request with a token. */
  send(request: RestRequest, token: string, signal: AbortSignal): Promise<RestAnswer>
  /** A response about the app itself. */
  get<Schema extends z.ZodType>(path: string, schema: Schema, signal: AbortSignal): Promise<z.output<Schema>>
  /**
   * The credentials of an installation, which last an hour. Its id serves as the refresh token: the app creates new
   * tokens with it. @throws ProviderError `auth` when it is gone or suspended
   */
  credentialsOf(installation: string, signal: AbortSignal): Promise<Credentials>
}

export function createGitHubAppCalls(
  app: Pick<GitHubAppSettings, 'clientId' | 'privateKey'>,
  apiUrl: string,
  clock: Clock,
): GitHubAppCalls {
  const send: GitHubAppCalls['send'] = (request, token, signal) =>
    sendWithToken(request, token, restOptionsOf(apiUrl), { signal, now: clock.now() })
  const asApp = async (request: RestRequest, signal: AbortSignal): Promise<RestAnswer> =>
    await send(request, signAppToken(app, clock.now()), signal).catch(operatorsFault)
  return {
    send,
    get: async (path, schema, signal) =>
      parseAnswer(await asApp({ url: `${apiUrl}/${path}` }, signal), schema, 'GitHub'),
    async credentialsOf(installation, signal) {
      const url = `${apiUrl}/app/installations/${installation}/access_tokens`
      const answer = await asApp({ url, method: 'POST' }, signal).catch(uninstalled)
      const { token, expires_at: expiresAt } = parseAnswer(answer, Token, 'GitHub')
      return { accessToken: token, refreshToken: installation, expiresAt, scopes: [] }
    },
  }
}

/** The JSON Web Token (RFC 7519) that authenticates the app. GitHub recommends the client ID as the issuer. */
export function signAppToken(
  { clientId, privateKey }: Pick<GitHubAppSettings, 'clientId' | 'privateKey'>,
  now: Date,
): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const claims = { iat: seconds - CLOCK_SECONDS, exp: seconds + LIFETIME_SECONDS, iss: clientId }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`
}

/** A refused app token says nothing about the installation: after the operator corrects the key, runs continue. */
function operatorsFault(error: unknown): never {
  if (!(error instanceof ProviderError) || error.code !== '401') throw error
  const words = `GitHub refuses the app's private key or the server's clock (${error.message})`
  throw new ProviderError('unavailable', words, { code: '401', cause: error })
}

function uninstalled(error: unknown): never {
  if (!(error instanceof ProviderError) || error.code !== '404') throw error
  throw new ProviderError('auth', 'The app is no longer installed on GitHub', { code: '404', cause: error })
}
