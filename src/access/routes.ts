import { z } from 'zod'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { ACTIONS, ACTOR_TYPES } from '../kernel/actions.ts'
import { PROVIDERS } from '../providers/index.ts'
import { distinct, label, EXAMPLE_ID, idOf, moment, text } from '../kernel/schemas.ts'
import type { ApiKeys } from './api-keys.ts'
import { ACTOR_TYPE, ALLOWED_ACTIONS, REQUIRES_USER, ALLOWED_PROVIDERS, ApiKey } from './schemas.ts'

export interface AccessServices {
  apiKeys: ApiKeys
}

const NewApiKey = z
  .strictObject({
    name: label.meta({ description: 'Name of the key.', example: 'Support bot' }),
    actorType: z.enum(ACTOR_TYPES).default('agent').describe(ACTOR_TYPE),
    allowedActions: distinct(z.enum(ACTIONS)).meta({
      description: ALLOWED_ACTIONS,
      example: ['search', 'context', 'ask'],
    }),
    allowedProviders: distinct(z.enum(PROVIDERS))
      .nullable()
      .optional()
      .describe(
        `${ALLOWED_PROVIDERS} Default: the scope of the key that creates it; all providers when a person does.`,
      ),
    requiresUser: z
      .boolean()
      .optional()
      .describe(
        `${REQUIRES_USER} Default: the setting of the key that creates it; false when a person does.`,
      ),
  })
  .meta({ id: 'NewApiKey', description: 'The key to create.' })

const shared = { tag: 'API keys', action: 'admin', consoleRole: 'admin' } as const

export const accessRoutes = [
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    summary: 'List active API keys, newest first',
    audit: 'none',
    responses: { 200: z.object({ apiKeys: z.array(ApiKey).describe('Active keys.') }) },
    handle: async ({ caller }, { apiKeys }) =>
      reply(200, { apiKeys: await apiKeys.list(caller.organizationId) }),
  }),
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    summary: 'Mint a key',
    description:
      'Only this response contains the secret: the service stores its SHA-256. A key with a provider scope can only create keys with the same or a narrower scope.',
    audit: 'api_key.create',
    body: NewApiKey,
    refuses: ['plan_limit_reached', 'key_limit_reached', 'provider_not_allowed', 'user_required'],
    responses: {
      201: z.object({
        apiKey: ApiKey,
        secret: text('The secret. Store it now: it is shown only once.', 'svc_…'),
      }),
    },
    handle: async ({ caller, body }, { apiKeys }) => reply(201, await apiKeys.mint(caller, body)),
  }),
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/api-keys/{id}',
    summary: 'Revoke a key',
    description:
      'The key is refused from the next request on. A key cannot revoke itself or a key with a wider scope.',
    audit: 'api_key.revoke',
    params: z.object({ id: idOf("The key's ID, from the list.", EXAMPLE_ID.apiKey) }),
    refuses: ['cannot_revoke_self', 'provider_not_allowed'],
    responses: { 200: z.object({ apiKey: ApiKey, revokedAt: moment('Revocation time.') }) },
    handle: async ({ caller, params }, { apiKeys }) => reply(200, await apiKeys.revoke(caller, params.id)),
  }),
]
