import { z } from 'zod'
import { ACTIONS, ACTOR_TYPES } from '../kernel/actions.ts'
import { PROVIDERS } from '../providers/index.ts'
import { EXAMPLE_ID, moment, momentOrNull, shownId, text } from '../kernel/schemas.ts'

export const ACTOR_TYPE =
  'Who uses the key. For the audit trail only; it affects no permission or plan limit.'

export const ALLOWED_ACTIONS = 'The actions that the key can use.'

export const REQUIRES_USER = 'Whether every request must name a person in `onBehalfOf`.'

export const ALLOWED_PROVIDERS = 'Providers whose items the key can read; null: all.'

export const ApiKey = z
  .object({
    id: shownId("The key's ID.", EXAMPLE_ID.apiKey),
    name: text('Name of the key.', 'Support bot'),
    prefix: text('The first characters of the secret, to recognize the key.', 'svc_Zk3vQ9aL'),
    actorType: z.enum(ACTOR_TYPES).meta({ description: ACTOR_TYPE, example: 'agent' }),
    allowedActions: z
      .array(z.enum(ACTIONS))
      .meta({ description: ALLOWED_ACTIONS, example: ['search', 'context', 'ask'] }),
    allowedProviders: z
      .array(z.enum(PROVIDERS))
      .nullable()
      .meta({ description: ALLOWED_PROVIDERS, example: null }),
    requiresUser: z.boolean().meta({ description: REQUIRES_USER, example: false }),
    lastUsedAt: momentOrNull('Last use, to the minute; null: never.', null),
    createdAt: moment('Creation time.'),
  })
  .meta({ id: 'ApiKey', description: 'An API key, without its secret.' })
export type ApiKey = z.output<typeof ApiKey>
