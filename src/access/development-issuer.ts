import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTVerifyGetKey } from 'jose'
import type { Configuration, interactionPolicy } from 'oidc-provider'
import { z } from 'zod'

export const DEVELOPMENT_ISSUER_PATH = '/oidc'
export const DEVELOPMENT_AUDIENCE = 'retrieval-memory-service'
const DEFAULT_EMAIL = 'developer@localhost'
const TOKEN_SECONDS = 3600

export interface DevelopmentIssuer {
  /** Its `iss`: the public URL and {@link DEVELOPMENT_ISSUER_PATH}. */
  issuer: string
  keys: JWTVerifyGetKey
  /** Serves everything below {@link DEVELOPMENT_ISSUER_PATH}. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/**
 * An OpenID Connect issuer for development: whoever asks is signed in, as `login_hint` or as developer@localhost.
 * It must only ever be reachable on loopback; requests for another host name are refused, so that a web page cannot
 * reach it through a name of its own (DNS rebinding).
 */
export async function createDevelopmentIssuer(options: {
  publicUrl: string
  dataDir: string
}): Promise<DevelopmentIssuer> {
  const issuer = options.publicUrl + DEVELOPMENT_ISSUER_PATH
  const key = await signingKey(options.dataDir)
  const { kty, n, e, kid, alg } = key
  const keys = createLocalJWKSet({ keys: [{ kty, n, e, kid, alg }] })
  let provider: Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> | undefined
  return {
    issuer,
    keys,
    async handle(request, response) {
      if (!isLoopback(request.headers.host)) {
        response.writeHead(403, { 'Content-Type': 'application/json; charset=utf-8' })
        response.end(
          JSON.stringify({
            error: 'The development issuer answers on loopback only',
            code: 'action_not_allowed',
          }),
        )
        return
      }
      // Loaded when first needed: most starts never sign anybody in.
      provider ??= createProvider(issuer, options.publicUrl, key)
      await (
        await provider
      )(request, response)
    },
  }
}

function isLoopback(host: string | undefined): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host ?? '')
}

const StoredKey = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  alg: z.literal('RS256'),
  n: z.string(),
  e: z.string(),
})

/** The key is kept, so that tokens outlive a restart. */
async function signingKey(dataDir: string): Promise<z.output<typeof StoredKey>> {
  const file = join(dataDir, 'development-issuer-key.json')
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stored !== undefined) return StoredKey.parse(JSON.parse(stored))
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = StoredKey.parse({ ...(await exportJWK(privateKey)), kid: 'development', alg: 'RS256' })
  await mkdir(dataDir, { recursive: true })
  await writeFile(file, JSON.stringify(key), { mode: 0o600 })
  return key
}

async function createProvider(issuer: string, publicUrl: string, key: z.output<typeof StoredKey>) {
  const { interactionPolicy, Provider } = await import('oidc-provider')
  const policy = interactionPolicy.base()
  // Nobody is asked to agree to what they do on their own machine.
  policy.remove('consent')
  const provider = new Provider(issuer, configuration(publicUrl, key, policy))
  const callback = provider.callback()
  return async (
    request: IncomingMessage & { originalUrl?: string },
    response: ServerResponse,
  ): Promise<void> => {
    request.originalUrl = request.url ?? '/'
    request.url = request.originalUrl.slice(DEVELOPMENT_ISSUER_PATH.length) || '/'
    if (!request.url.startsWith('/interaction/')) {
      await callback(request, response)
      return
    }
    const { params } = await provider.interactionDetails(request, response)
    const hint = params['login_hint']
    const accountId =
      typeof hint === 'string' && /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(hint) ? hint : DEFAULT_EMAIL
    await provider.interactionFinished(
      request,
      response,
      { login: { accountId } },
      { mergeWithLastSubmission: false },
    )
  }
}

function configuration(
  publicUrl: string,
  key: z.output<typeof StoredKey>,
  policy: interactionPolicy.DefaultPolicy,
): Configuration {
  const client = {
    application_type: 'native' as const,
    token_endpoint_auth_method: 'none' as const,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
  }
  return {
    jwks: { keys: [{ ...key, use: 'sig' }] },
    clients: [
      { ...client, client_id: 'console', redirect_uris: [`${publicUrl}/console/callback`] },
      { ...client, client_id: 'command-line', redirect_uris: ['http://127.0.0.1/callback'] },
    ],
    pkce: { required: () => true },
    clientBasedCORS: () => true,
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    ttl: {
      AccessToken: TOKEN_SECONDS,
      IdToken: TOKEN_SECONDS,
      Session: TOKEN_SECONDS,
      Grant: TOKEN_SECONDS,
      Interaction: 600,
    },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, name: id.split('@', 1)[0] ?? id }),
    }),
    extraTokenClaims: (_context, token) =>
      'accountId' in token ? { email: token.accountId, name: token.accountId.split('@', 1)[0] } : {},
    // Whoever is signed in has agreed.
    async loadExistingGrant(context) {
      const { client: asking, session, params } = context.oidc
      const grant = new context.oidc.provider.Grant({
        clientId: asking?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope(typeof params?.['scope'] === 'string' ? params['scope'] : 'openid')
      grant.addResourceScope(DEVELOPMENT_AUDIENCE_URI, 'openid profile email')
      await grant.save()
      return grant
    },
    interactions: {
      policy,
      url: (_context, interaction) => `${DEVELOPMENT_ISSUER_PATH}/interaction/${interaction.uid}`,
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => DEVELOPMENT_AUDIENCE_URI,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'openid profile email',
          audience: DEVELOPMENT_AUDIENCE,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: TOKEN_SECONDS,
          jwt: { sign: { alg: 'RS256' as const } },
        }),
      },
    },
  }
}

/** RFC 8707 wants a resource to be a URI; the audience of its tokens is {@link DEVELOPMENT_AUDIENCE}. */
const DEVELOPMENT_AUDIENCE_URI = `urn:${DEVELOPMENT_AUDIENCE}`
