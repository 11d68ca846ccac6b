import { z } from 'zod'
import { defineRoute, reply } from '../../http/route.ts'
import { EXAMPLE_ID, idOf, label, moment, text } from '../../kernel/schemas.ts'
import type { ScimTokens } from './tokens.ts'
import { ScimToken } from './schemas.ts'

export interface ScimTokenServices {
  scimTokens: ScimTokens
}

const shared = {
  tag: 'SCIM (console)',
  access: { surface: 'console', role: 'admin', action: 'admin' },
} as const

const define = defineRoute<ScimTokenServices>()

export const scimTokenRoutes = [
  define({
    ...shared,
    operationId: 'consoleListScimTokens',
    method: 'GET',
    path: '/v1/console/scim-tokens',
    summary: 'List SCIM tokens, newest first',
    audit: 'none',
    responses: { 200: z.object({ scimTokens: z.array(ScimToken).describe('Active tokens.') }) },
    handle: async ({ caller }, { scimTokens }) =>
      reply(200, { scimTokens: await scimTokens.list(caller.organizationId) }),
  }),
  define({
    ...shared,
    operationId: 'consoleCreateScimToken',
    method: 'POST',
    path: '/v1/console/scim-tokens',
    summary: 'Create a SCIM token',
    description:
      'The token can deactivate people of any role, owners included. Only this response contains the secret: the service stores its SHA-256.',
    audit: 'scim_token.create',
    body: z.strictObject({ name: label.meta({ description: 'Purpose of the token.', example: 'Okta' }) }),
    refuses: ['key_limit_reached'],
    responses: {
      201: z.object({
        scimToken: ScimToken,
        secret: text('The secret. Store it now: it is shown only once.', 'scim_…'),
      }),
    },
    handle: async ({ caller, body }, { scimTokens }) =>
      reply(201, await scimTokens.create(caller, body.name), { 'Cache-Control': 'no-store' }),
  }),
  define({
    ...shared,
    operationId: 'consoleRevokeScimToken',
    method: 'DELETE',
    path: '/v1/console/scim-tokens/{id}',
    summary: 'Revoke a SCIM token',
    description: 'The token is refused from the next request on. People and groups remain.',
    audit: 'scim_token.revoke',
    params: z.object({ id: idOf("The token's ID, from the list.", EXAMPLE_ID.apiKey) }),
    responses: {
      200: z.object({ scimToken: ScimToken, revokedAt: moment('Revocation time.') }),
    },
    handle: async ({ caller, params }, { scimTokens }) =>
      reply(200, await scimTokens.revoke(caller, params.id)),
  }),
]
