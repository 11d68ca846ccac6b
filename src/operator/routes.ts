import { z } from 'zod'
import { SUBSCRIPTION_STATUSES, subscriptionFields, TIERS } from '../billing/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import { providerOf } from '../providers/index.ts'
import { givenId, EXAMPLE_ID, idOf, moment, shownId, text, textOrNull } from '../kernel/schemas.ts'
import type { Operator } from './operator.ts'

export interface OperatorServices {
  operator: Operator
}

const CREDITS_MAX = 2_147_483_647

const Subscription = z
  .object(subscriptionFields)
  .meta({ id: 'Subscription', description: "An organization's plan and its current period." })

const Organization = z
  .object({
    id: shownId("The organization's id.", EXAMPLE_ID.organization),
    name: text('Its name.', 'Acme'),
    createdAt: moment('When it was made.'),
    subscription: Subscription.nullable().describe('Its plan; null: none.'),
  })
  .meta({ id: 'OperatorOrganization', description: 'An organization as the operator sees it.' })

const NewSubscription = z
  .strictObject({
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .meta({ description: 'Where the subscription stands from now on.', example: 'active' }),
    tier: z
      .enum(TIERS)
      .nullable()
      .default(null)
      .meta({ description: 'The plan; needed with `trialing`, `active` and `past_due`.', example: 'studio' }),
    creditsIncluded: z
      .number()
      .int()
      .min(0)
      .max(CREDITS_MAX)
      .nullable()
      .default(null)
      .describe("Credits of a period; null or left out: the tier's own number."),
  })
  .refine(({ status, tier }) => tier !== null || !['trialing', 'active', 'past_due'].includes(status), {
    path: ['tier'],
    message: 'is needed with this status',
  })
  .meta({ id: 'NewSubscription', description: "An organization's plan to be set." })

const accessFields = {
  id: shownId("The request's id.", EXAMPLE_ID.request),
  organizationId: shownId('Who asked.', EXAMPLE_ID.organization),
  provider: providerOf('What for.').meta({ example: 'gmail' }),
  status: z.enum(['pending', 'granted', 'denied']).describe('How far it is.'),
  createdAt: moment('When it was first asked.'),
  updatedAt: moment('When that last changed.'),
}

const ConnectorAccess = z
  .object({ ...accessFields, status: accessFields.status.meta({ example: 'granted' }) })
  .meta({ id: 'OperatorConnectorAccess', description: "An organization's access to a gated provider." })

const WaitingRequest = z
  .object({
    ...accessFields,
    organizationName: text("The organization's name.", 'Acme'),
    requestedByUserId: z
      .uuid()
      .nullable()
      .meta({ description: 'The person who asked.', example: EXAMPLE_ID.user }),
    requestedByEmail: textOrNull('Their address, where it is known.', 'ada@example.com'),
  })
  .meta({ id: 'OperatorConnectorRequest', description: 'A request for a gated provider that waits.' })

const NewConnectorAccess = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'true grants, false denies.', example: true }),
  })
  .meta({ id: 'NewConnectorAccess', description: 'The answer to a request for a gated provider.' })

const limit = z.coerce.number().int().min(1).max(500).default(100).describe('How many at most.')
const organizationId = idOf("The organization's id, from the list.", EXAMPLE_ID.organization)

const shared = { tag: 'Operator', access: { surface: 'operator' }, credits: 0, audit: 'none' } as const

export const operatorRoutes = [
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorListOrganizations',
    method: 'GET',
    path: '/operator/organizations',
    summary: 'List organizations with their subscriptions, newest first',
    query: z.strictObject({
      limit,
      cursor: givenId.optional().describe('The `nextCursor` of the page before.'),
    }),
    responses: {
      200: z.object({
        organizations: z.array(Organization).describe('The organizations of this page.'),
        nextCursor: z
          .uuid()
          .nullable()
          .meta({ description: 'Where the next page begins; null on the last one.', example: null }),
      }),
    },
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
    params: z.object({ id: organizationId }),
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
    params: z.object({
      id: organizationId,
      provider: providerOf('The provider.').meta({ example: 'gmail' }),
    }),
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
    responses: { 200: z.object({ requests: z.array(WaitingRequest).describe('The requests that wait.') }) },
    handle: async ({ query }, { operator }) =>
      reply(200, { requests: await operator.listWaiting(query.limit) }),
  }),
]
