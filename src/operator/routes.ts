import { z } from 'zod'
import { OVER_CAP, parseUsd, Subscription, USD_PATTERN } from '../billing/index.ts'
import { SUBSCRIPTION_STATUSES, TIERS } from '../database/schema-words.ts'
import { defineRoute, reply } from '../http/route.ts'
import { providerOf } from '../providers/index.ts'
import { nextCursor, pageCursor } from '../kernel/schemas.ts'
import { paymentRoutes } from './payment-routes.ts'
import { limit, type OperatorServices, organizationId, shared } from './route-parts.ts'
import { ConnectorAccess, Organization, WaitingRequest } from './schemas.ts'

const NUMBER_MAX = 2_147_483_647

/** A limit of the plan that the operator can set. */
const includedNumber = (description: string) =>
  z.number().int().min(0).max(NUMBER_MAX).nullable().default(null).describe(description)

const NewSubscription = z
  .strictObject({
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .meta({ description: 'New status of the subscription.', example: 'active' }),
    tier: z
      .enum(TIERS)
      .nullable()
      .default(null)
      .meta({ description: 'The plan; needed with `trialing`, `active` and `past_due`.', example: 'studio' }),
    creditsIncluded: includedNumber("Credits per period. Default: the tier's number."),
    agentsIncluded: includedNumber("Active keys with search, context or ask. Default: the tier's number."),
    connectorsIncluded: includedNumber("Connectors. Default: the tier's number."),
    overCap: z.enum(OVER_CAP).nullable().default(null).meta({
      description:
        'Whether calls over the included credits are refused or charged. Default: as for the tier.',
      example: 'metered',
    }),
    extraAnswerUsd: z
      .string()
      .regex(USD_PATTERN, 'must be US dollars as a decimal string, such as "0.012"')
      .nullable()
      .default(null)
      .meta({
        description: "Price of an answer over the cap. Default: the tier's price.",
        example: '0.012',
      }),
  })
  .refine(({ status, tier }) => tier !== null || !['trialing', 'active', 'past_due'].includes(status), {
    path: ['tier'],
    message: 'is required with this status',
  })
  .refine(
    ({ overCap, extraAnswerUsd, tier }) =>
      overCap !== 'metered' || extraAnswerUsd !== null || tier === 'studio' || tier === 'scale',
    {
      path: ['extraAnswerUsd'],
      message: 'is required to charge for answers over the cap, because the tier has no price for them',
    },
  )
  .meta({ id: 'NewSubscription', description: 'The plan to set.' })

const NewConnectorAccess = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'true grants, false denies.', example: true }),
  })
  .meta({ id: 'NewConnectorAccess', description: 'The answer to a request for a gated provider.' })

export const operatorRoutes = [
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorListOrganizations',
    method: 'GET',
    path: '/operator/organizations',
    summary: 'List organizations with their subscriptions, newest first',
    query: z.strictObject({
      limit,
      cursor: pageCursor,
    }),
    responses: {
      200: z.object({
        organizations: z.array(Organization).describe('The organizations of this page.'),
        nextCursor,
      }),
    },
    handle: async ({ query }, { operator }) => reply(200, await operator.listOrganizations(query)),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorPutSubscription',
    method: 'PUT',
    path: '/operator/organizations/{id}/subscription',
    summary: "Set an organization's status, tier and credits",
    description: 'Takes effect with the next request. The current period and its used credits remain.',
    params: z.object({ id: organizationId }),
    body: NewSubscription,
    responses: { 200: z.object({ subscription: Subscription }) },
    handle: async ({ params, body, requestId }, { operator }) => {
      const { extraAnswerUsd, ...terms } = body
      const extraAnswerMicroUsd = extraAnswerUsd === null ? null : parseUsd(extraAnswerUsd)
      const subscription = { ...terms, extraAnswerMicroUsd }
      return reply(200, {
        subscription: await operator.putSubscription(requestId, params.id, subscription),
      })
    },
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorPutConnectorAccess',
    method: 'PUT',
    path: '/operator/organizations/{id}/connector-access/{provider}',
    summary: 'Grant or deny an organization access to a provider',
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
  ...paymentRoutes,
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorListConnectorAccess',
    method: 'GET',
    path: '/operator/connector-access',
    summary: 'List open requests for access to a provider, oldest first',
    query: z.strictObject({ limit }),
    responses: { 200: z.object({ requests: z.array(WaitingRequest).describe('Open requests.') }) },
    handle: async ({ query }, { operator }) =>
      reply(200, { requests: await operator.listWaiting(query.limit) }),
  }),
]
