import { z } from 'zod'
import { defineRoute, reply } from '../../http/route.ts'
import { EXAMPLE_ID, idOf, label, moment, momentOrNull, shownId, text } from '../../kernel/schemas.ts'
import type { ScimTokens } from './tokens.ts'

export interface ScimTokenServices {
  scimTokens: ScimTokens
}

const ScimToken = z
  .object({
    id: shownId("The token's id, by which it is revoked.", EXAMPLE_ID.apiKey),
    name: text('What it is for.', 'Okta'),
    prefix: text('The first characters of its secret, to tell tokens apart.', 'scim_Zk3vQ9aL'),
    createdBy: shownId('The person who created it.', EXAMPLE_ID.user),
    lastUsedAt: momentOrNull('When it was last used, to the minute; null: never.', null),
    createdAt: moment('When it was created.'),
  })
  .meta({ id: 'ScimToken', description: 'A token with which an identity provider provisions people.' })

const shared = {
  tag: 'SCIM (console)',
  access: { surface: 'console', role: 'admin', action: 'admin' },
  credits: 0,
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
    responses: { 200: z.object({ scimTokens: z.array(ScimToken).describe('Those that are not revoked.') }) },
    handle: async ({ principal }, { scimTokens }) =>
      reply(200, { scimTokens: await scimTokens.list(principal.organizationId) }),
  }),
  define({
    ...shared,
    operationId: 'consoleCreateScimToken',
    method: 'POST',
    path: '/v1/console/scim-tokens',
    summary: 'Create a SCIM token',
    description: 'The secret is in this answer and nowhere else: only its SHA-256 is stored.',
    audit: 'scim_token.create',
    body: z.strictObject({ name: label.meta({ description: 'What it is for.', example: 'Okta' }) }),
    refuses: ['key_limit_reached'],
    responses: {
      201: z.object({
        scimToken: ScimToken,
        secret: text('The token itself. Keep it: it is shown this once.', 'scim_…'),
      }),
    },
    handle: async ({ principal, body }, { scimTokens }) =>
      reply(201, await scimTokens.create(principal, body.name), { 'Cache-Control': 'no-store' }),
  }),
  define({
    ...shared,
    operationId: 'consoleRevokeScimToken',
    method: 'DELETE',
    path: '/v1/console/scim-tokens/{id}',
    summary: 'Revoke a SCIM token',
    description: 'It is refused from the next request on. People and groups stay as they are.',
    audit: 'scim_token.revoke',
    params: z.object({ id: idOf("The token's id, from the list.", EXAMPLE_ID.apiKey) }),
    responses: {
      200: z.object({ scimToken: ScimToken, revokedAt: moment('Since when it is refused.') }),
    },
    handle: async ({ principal, params }, { scimTokens }) =>
      reply(200, await scimTokens.revoke(principal, params.id)),
  }),
]
