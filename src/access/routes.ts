import { z } from 'zod'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { ACTIONS, ACTOR_TYPES } from '../kernel/actions.ts'
import { PROVIDERS } from '../providers/index.ts'
import { distinct, givenId, label } from '../kernel/schemas.ts'
import type { ApiKeys } from './api-keys.ts'

export interface AccessServices {
  apiKeys: ApiKeys
}

const ApiKey = z
  .object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string(),
    actorType: z.enum(ACTOR_TYPES),
    allowedActions: z.array(z.enum(ACTIONS)),
    allowedProviders: z.array(z.enum(PROVIDERS)).nullable(),
    lastUsedAt: z.iso.datetime().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'ApiKey' })

const NewApiKey = z
  .strictObject({
    name: label,
    actorType: z.enum(ACTOR_TYPES).default('agent'),
    allowedActions: distinct(z.enum(ACTIONS)),
    allowedProviders: distinct(z.enum(PROVIDERS)).nullable().default(null),
  })
  .meta({ id: 'NewApiKey' })

const shared = { tag: 'API keys', action: 'admin', consoleRole: 'admin', credits: 0 } as const

export const accessRoutes = [
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    summary: 'List live keys, newest first',
    audit: 'none',
    responses: { 200: z.object({ apiKeys: z.array(ApiKey) }) },
    handle: async ({ principal }, { apiKeys }) =>
      reply(200, { apiKeys: await apiKeys.list(principal.organizationId) }),
  }),
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    summary: 'Mint a key',
    description: 'The secret is in this answer and nowhere else: only its SHA-256 is stored.',
    audit: 'api_key.create',
    body: NewApiKey,
    refuses: ['plan_limit_reached'],
    responses: { 201: z.object({ apiKey: ApiKey, secret: z.string() }) },
    handle: async ({ principal, body }, { apiKeys }) => {
      const { apiKey, secret } = await apiKeys.mint(principal, body)
      return reply(201, { apiKey: apiKey, secret })
    },
  }),
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/api-keys/{id}',
    summary: 'Revoke a key',
    description: 'It stops working with the very next request. A key cannot revoke itself.',
    audit: 'api_key.revoke',
    params: z.object({ id: givenId }),
    refuses: ['cannot_revoke_self'],
    responses: { 200: z.object({ apiKey: ApiKey, revokedAt: z.iso.datetime() }) },
    handle: async ({ principal, params }, { apiKeys }) => {
      const { apiKey, revokedAt } = await apiKeys.revoke(principal, params.id)
      return reply(200, { apiKey: apiKey, revokedAt })
    },
  }),
]
