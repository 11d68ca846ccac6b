import { z } from 'zod'
import { SUBSCRIPTION_STATUSES, subscriptionFields, TIERS } from '../billing/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import { PROVIDERS } from '../providers/index.ts'
import { givenId } from '../kernel/schemas.ts'
import type { Operator } from './operator.ts'

export interface OperatorServices {
  operator: Operator
}

const CREDITS_MAX = 2_147_483_647

const Subscription = z.object(subscriptionFields).meta({ id: 'Subscription' })

const Organization = z
  .object({
    id: z.uuid(),
    name: z.string(),
    createdAt: z.iso.datetime(),
    subscription: Subscription.nullable(),
  })
  .meta({ id: 'OperatorOrganization' })

const NewSubscription = z
  .strictObject({
    status: z.enum(SUBSCRIPTION_STATUSES),
    tier: z.enum(TIERS).nullable().default(null),
    creditsIncluded: z
      .number()
      .int()
      .min(0)
      .max(CREDITS_MAX)
      .nullable()
      .default(null)
      .describe("Credits of a period; null or left out: the tier's own number"),
  })
  .refine(({ status, tier }) => tier !== null || !['trialing', 'active', 'past_due'].includes(status), {
    path: ['tier'],
    message: 'is needed with this status',
  })
  .meta({ id: 'NewSubscription' })

const accessFields = {
  id: z.uuid(),
  organizationId: z.uuid(),
  provider: z.enum(PROVIDERS),
  status: z.enum(['pending', 'granted', 'denied']),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
}

const ConnectorAccess = z.object(accessFields).meta({ id: 'OperatorConnectorAccess' })

const WaitingRequest = z
  .object({
    ...accessFields,
    organizationName: z.string(),
    requestedByUserId: z.uuid().nullable(),
    requestedByEmail: z.string().nullable(),
  })
  .meta({ id: 'OperatorConnectorRequest' })

const NewConnectorAccess = z.strictObject({ enabled: z.boolean() }).meta({ id: 'NewConnectorAccess' })

const limit = z.coerce.number().int().min(1).max(500).default(100)

const shared = { tag: 'Operator', access: { surface: 'operator' }, credits: 0, audit: 'none' } as const

export const operatorRoutes = [
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorListOrganizations',
    method: 'GET',
    path: '/operator/organizations',
    summary: 'List organizations with their subscriptions, newest first',
    query: z.strictObject({ limit, cursor: givenId.optional() }),
    responses: { 200: z.object({ organizations: z.array(Organization), nextCursor: z.uuid().nullable() }) },
    handle: async ({ query }, { operator }) =>
      reply(200, await operator.listOrganizations({ limit: query.limit, cursor: query.cursor })),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorPutSubscription',
    method: 'PUT',
    path: '/operator/organizations/{id}/subscription',
    summary: "Set an organization's status, tier and credits",
    description: 'Holds from the next request on; the running period and what was used of it stay.',
    params: z.object({ id: givenId }),
    body: NewSubscription,
    responses: { 200: z.object({ subscription: Subscription }) },
    handle: async ({ params, body, requestId }, { operator }) =>
      reply(200, { subscription: await operator.putSubscription(requestId, params.id, body) }),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorPutConnectorAccess',
    method: 'PUT',
    path: '/operator/organizations/{id}/connector-access/{provider}',
    summary: 'Grant or deny an organization a provider',
    params: z.object({ id: givenId, provider: z.enum(PROVIDERS) }),
    body: NewConnectorAccess,
    responses: { 200: z.object({ connectorAccess: ConnectorAccess }) },
    handle: async ({ params, body, requestId }, { operator }) =>
      reply(200, {
        connectorAccess: await operator.putConnectorAccess(
          requestId,
          params.id,
          params.provider,
          body.enabled,
        ),
      }),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorListConnectorAccess',
    method: 'GET',
    path: '/operator/connector-access',
    summary: 'List requests for access to a provider that wait for an answer, oldest first',
    query: z.strictObject({ limit }),
    responses: { 200: z.object({ requests: z.array(WaitingRequest) }) },
    handle: async ({ query }, { operator }) =>
      reply(200, { requests: await operator.listWaiting(query.limit) }),
  }),
]
