import { z } from 'zod'
import {
  parseUsd,
  PAYMENT_REMARKS,
  SUBSCRIPTION_STATUSES,
  subscriptionFields,
  TIERS,
  USD_PATTERN,
} from '../billing/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import { providerOf } from '../providers/index.ts'
import {
  count,
  EXAMPLE_ID,
  givenId,
  idOf,
  moment,
  momentOrNull,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import type { Operator } from './operator.ts'

export interface OperatorServices {
  operator: Operator
}

const NUMBER_MAX = 2_147_483_647

/** A number of the plan that the operator may set. */
const includedNumber = (description: string) =>
  z.number().int().min(0).max(NUMBER_MAX).nullable().default(null).describe(description)

const OVER_CAP = ['block', 'metered'] as const

const Subscription = z
  .object({
    ...subscriptionFields,
    overCap: z.enum(OVER_CAP).meta({
      description: 'Whether calls over the credits are refused or charged.',
      example: 'block',
    }),
    extraAnswerUsd: textOrNull('Price of an answer over the cap, in US dollars; null: none is sold.'),
    isContract: z.boolean().meta({
      description: 'Whether the operator has set terms that no event of the payment processor changes.',
      example: false,
    }),
  })
  .meta({ id: 'Subscription', description: "An organization's plan and its current period." })

const Organization = z
  .object({
    id: shownId("The organization's id.", EXAMPLE_ID.organization),
    name: text('Its name.', 'Acme'),
    createdAt: moment('When it was made.'),
    removedAt: momentOrNull('Since when it is being removed; null: it is not.', null),
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
    creditsIncluded: includedNumber("Credits of a period; null or left out: the tier's own number."),
    agentsIncluded: includedNumber(
      "Live keys with search, context or ask; null or left out: the tier's own number.",
    ),
    connectorsIncluded: includedNumber("Connectors; null or left out: the tier's own number."),
    overCap: z.enum(OVER_CAP).nullable().default(null).meta({
      description:
        'Whether calls over the credits are refused or charged; null or left out: as the tier has it.',
      example: 'metered',
    }),
    extraAnswerUsd: z
      .string()
      .regex(USD_PATTERN, 'must be US dollars as a decimal string, such as "0.012"')
      .nullable()
      .default(null)
      .meta({
        description: "Price of an answer over the cap; null or left out: the tier's own.",
        example: '0.012',
      }),
  })
  .refine(({ status, tier }) => tier !== null || !['trialing', 'active', 'past_due'].includes(status), {
    path: ['tier'],
    message: 'is needed with this status',
  })
  .refine(
    ({ overCap, extraAnswerUsd, tier }) =>
      overCap !== 'metered' || extraAnswerUsd !== null || tier === 'studio' || tier === 'scale',
    {
      path: ['extraAnswerUsd'],
      message: 'is needed to charge answers over the cap of a tier that has no price for them',
    },
  )
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

const Overage = z
  .object({
    waitingAnswers: count('Answers served over the cap that the payment processor has not confirmed.', 12),
    uncertainAnswers: count(
      'Of these, answers that may have arrived and are not sent again by themselves.',
      0,
    ),
    lagSeconds: z.number().min(0).meta({ description: 'Age of the oldest of them.', example: 4.2 }),
    reports: z
      .array(
        z.object({
          id: shownId(
            "The report's id, its identifier at the payment processor's meter.",
            EXAMPLE_ID.request,
          ),
          organizationId: shownId('Whose answers.', EXAMPLE_ID.organization),
          answers: z.int().min(1).meta({ description: 'How many.', example: 12 }),
          servedAt: moment('When they were served, to a few seconds.'),
          attempts: count('How often it was sent.', 1),
          nextAttemptAt: momentOrNull('When it is sent next; null: it still counts.'),
          isUncertain: z.boolean().meta({
            description: 'Whether it may have arrived, and is not sent again by itself.',
            example: false,
          }),
          lastError: textOrNull('Why the last attempt failed.', 'HTTP 503: try again later'),
        }),
      )
      .describe('The reports that wait, the oldest first.'),
  })
  .meta({ id: 'OperatorOverage', description: "How far the payment processor's meter is behind." })

const Payments = z
  .object({
    ageSeconds: z.number().min(0).meta({
      description: 'How long ago the organization was compared that was not for the longest.',
      example: 1800.5,
    }),
    unreadableOrganizations: count('Organizations whose last comparison failed.', 0),
    remarkedOrganizations: count('Organizations that the payment processor has otherwise.', 1),
    organizations: z
      .array(
        z.object({
          organizationId: shownId('Which.', EXAMPLE_ID.organization),
          customerId: textOrNull('Its customer at the payment processor.', 'cus_123'),
          comparedAt: momentOrNull('When it was last compared; null: never.'),
          remarks: z
            .array(
              z.object({
                remark: z.enum(PAYMENT_REMARKS).meta({ description: 'What.', example: 'quantity' }),
                text: text(
                  'In words.',
                  'a subscription has its plan in another quantity than one, and counts as one',
                ),
              }),
            )
            .describe('What the payment processor has otherwise.'),
          failedAttempts: count('How often the comparison failed since it last succeeded.', 0),
          nextAttemptAt: momentOrNull('When it is tried again; null: it did not fail.', null),
          lastError: textOrNull('Why the last one failed.', 'HTTP 404: No such customer'),
        }),
      )
      .describe('Those to look at; whose comparison fails comes first.'),
  })
  .meta({
    id: 'OperatorPayments',
    description: 'How well what is stored agrees with the payment processor.',
  })

const ReportOutcome = z
  .strictObject({
    arrived: z
      .boolean()
      .meta({ description: 'true: it is on the meter; false: send it again.', example: true }),
  })
  .meta({ id: 'OverageReportOutcome', description: 'What the meter shows of a report.' })

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
    operationId: 'operatorReadOverage',
    method: 'GET',
    path: '/operator/overage',
    summary: "Show how far the payment processor's meter of extra answers is behind",
    query: z.strictObject({ limit }),
    responses: { 200: Overage },
    handle: async ({ query }, { operator }) => reply(200, await operator.readOverage(query.limit)),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorReadPayments',
    method: 'GET',
    path: '/operator/payments',
    summary: 'Show where the payment processor has a subscription otherwise than the service takes it',
    query: z.strictObject({ limit }),
    responses: { 200: Payments },
    handle: async ({ query }, { operator }) => reply(200, await operator.readPayments(query.limit)),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorResolveOverageReport',
    method: 'PUT',
    path: '/operator/organizations/{id}/overage/{reportId}',
    summary: 'Say whether a report of extra answers has arrived; where it has not, it is sent again',
    params: z.object({
      id: organizationId,
      reportId: idOf("The report's id, from the list.", EXAMPLE_ID.request),
    }),
    body: ReportOutcome,
    responses: {
      200: z.object({ resolved: z.literal(true).meta({ description: 'It is noted.', example: true }) }),
    },
    handle: async ({ params, body, requestId }, { operator }) => {
      await operator.resolveReport(requestId, {
        organizationId: params.id,
        id: params.reportId,
        arrived: body.arrived,
      })
      return reply(200, { resolved: true as const })
    },
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
