import type { Grants } from '../kit/grants.ts'
import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'

const REFUSAL = 'AADSTS70000: The provided grant is invalid or has expired.'

const oauthError = (status: number, error: string, description: string): EmulatorReply => ({
  status,
  json: { error, error_description: description, error_codes: [70000], correlation_id: 'emulated' },
})

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow; it approves immediately. */
export function login(
  request: EmulatorRequest,
  { grants, clientId, account, tenants }: LoginOptions,
): EmulatorReply | null {
  const [, tenant, route] = /^\/([^/]+)\/oauth2\/v2\.0\/(authorize|token)$/.exec(request.path) ?? []
  if (tenant === undefined) return null
  if (!tenants.includes(tenant))
    return oauthError(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`)
  if (route === 'token') return request.method === 'POST' ? giveToken(request, grants) : null
  const { query } = request
  const redirectUri = query.get('redirect_uri')
  if (query.get('client_id') !== clientId || redirectUri === null || query.get('response_type') !== 'code')
    return { status: 400, text: 'AADSTS900144: The request body must contain the required parameters.' }
  return {
    status: 302,
    headers: {
      location: grants.approve({
        account,
        scope: query.get('scope') ?? '',
        redirectUri,
        state: query.get('state') ?? '',
        codeChallenge: query.get('code_challenge_method') === 'S256' ? query.get('code_challenge') : null,
      }),
    },
  }
}

export interface LoginOptions {
  grants: Grants
  clientId: string
  account: string
  tenants: readonly string[]
}

function giveToken(request: EmulatorRequest, grants: Grants): EmulatorReply {
  const form = new URLSearchParams(request.body)
  if (!grants.isClient(form.get('client_id') ?? undefined, form.get('client_secret') ?? undefined))
    return oauthError(401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.')
  const grant =
    form.get('grant_type') === 'refresh_token'
      ? grants.refresh(form.get('refresh_token') ?? '')
      : grants.exchange({
          code: form.get('code') ?? '',
          redirectUri: form.get('redirect_uri') ?? '',
          codeVerifier: form.get('code_verifier'),
        })
  if (grant === null) return oauthError(400, 'invalid_grant', REFUSAL)
  const scopes = grant.scope.split(' ')
  return {
    json: {
      token_type: 'Bearer',
      access_token: grant.accessToken,
      expires_in: 3600,
      // The scope for refresh tokens is not among the access token's scopes.
      scope: scopes.filter((scope) => scope !== 'offline_access').join(' '),
      ...(scopes.includes('offline_access') && { refresh_token: grant.refreshToken }),
    },
  }
}
