import { z } from 'zod'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { ACTIONS, ACTOR_TYPES } from '../kernel/actions.ts'
import { PROVIDERS } from '../providers/index.ts'
import { distinct, label, EXAMPLE_ID, idOf, moment, momentOrNull, shownId, text } from '../kernel/schemas.ts'
import type { ApiKeys } from './api-keys.ts'

export interface AccessServices {
  apiKeys: ApiKeys
}

const ACTOR_TYPE = 'Who uses the key. Shown in the audit trail; it changes no permission and no plan limit.'
const ALLOWED_ACTIONS = 'What it may do: each action opens its routes and no other.'
const REQUIRES_USER =
  'Whether it has to say on whose behalf it reads (`onBehalfOf`), and is refused otherwise.'
const ALLOWED_PROVIDERS = 'The only providers whose items it may see; null: all.'

const ApiKey = z
  .object({
    id: shownId("The key's id, by which it is revoked.", EXAMPLE_ID.apiKey),
    name: text('What the key stands for.', 'Support bot'),
    prefix: text('The first characters of its secret, to tell keys apart.', 'svc_Zk3vQ9aL'),
    actorType: z.enum(ACTOR_TYPES).meta({ description: ACTOR_TYPE, example: 'agent' }),
    allowedActions: z
      .array(z.enum(ACTIONS))
      .meta({ description: ALLOWED_ACTIONS, example: ['search', 'context', 'ask'] }),
    allowedProviders: z
      .array(z.enum(PROVIDERS))
      .nullable()
      .meta({ description: ALLOWED_PROVIDERS, example: null }),
    requiresUser: z.boolean().meta({ description: REQUIRES_USER, example: false }),
    lastUsedAt: momentOrNull('When it was last used, to the minute; null: never.', null),
    createdAt: moment('When it was minted.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without its secret.' })

const NewApiKey = z
  .strictObject({
    name: label.meta({ description: 'What the key stands for.', example: 'Support bot' }),
    actorType: z.enum(ACTOR_TYPES).default('agent').describe(ACTOR_TYPE),
    allowedActions: distinct(z.enum(ACTIONS)).meta({
      description: ALLOWED_ACTIONS,
      example: ['search', 'context', 'ask'],
    }),
    allowedProviders: distinct(z.enum(PROVIDERS))
      .nullable()
      .optional()
      .describe(
        `${ALLOWED_PROVIDERS} Left out: those of the key that mints it, every one where a person does.`,
      ),
    requiresUser: z
      .boolean()
      .optional()
      .describe(`${REQUIRES_USER} Left out: as the key that mints it, false where a person does.`),
  })
  .meta({ id: 'NewApiKey', description: 'A key to be minted.' })

const shared = { tag: 'API keys', action: 'admin', consoleRole: 'admin', credits: 0 } as const

export const accessRoutes = [
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/api-keys',
    summary: 'List live keys, newest first',
    audit: 'none',
    responses: { 200: z.object({ apiKeys: z.array(ApiKey).describe('The keys that are not revoked.') }) },
    handle: async ({ principal }, { apiKeys }) =>
      reply(200, { apiKeys: await apiKeys.list(principal.organizationId) }),
  }),
  ...twins<AccessServices>()({
    ...shared,
    operationId: 'createApiKey',
    method: 'POST',
    path: '/api-keys',
    summary: 'Mint a key',
    description:
      'The secret is in this answer and nowhere else: only its SHA-256 is stored. A key with a provider scope mints keys of the same or a narrower one.',
    audit: 'api_key.create',
    body: NewApiKey,
    refuses: ['plan_limit_reached', 'key_limit_reached', 'provider_not_allowed', 'user_required'],
    responses: {
      201: z.object({
        apiKey: ApiKey,
        secret: text('The key itself. Keep it: it is shown this once.', 'svc_…'),
      }),
    },
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
    description:
      'It stops working with the very next request. A key cannot revoke itself, nor one that reaches further than it does.',
    audit: 'api_key.revoke',
    params: z.object({ id: idOf("The key's id, from the list.", EXAMPLE_ID.apiKey) }),
    refuses: ['cannot_revoke_self', 'provider_not_allowed'],
    responses: { 200: z.object({ apiKey: ApiKey, revokedAt: moment('Since when it is refused.') }) },
    handle: async ({ principal, params }, { apiKeys }) => {
      const { apiKey, revokedAt } = await apiKeys.revoke(principal, params.id)
      return reply(200, { apiKey: apiKey, revokedAt })
    },
  }),
]
