import { z } from 'zod'
import { PAYMENT_REMARKS } from '../billing/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import {
  count,
  EXAMPLE_ID,
  idOf,
  moment,
  momentOrNull,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { limit, type OperatorServices, organizationId, shared } from './route-parts.ts'

const Overage = z
  .object({
    waitingAnswers: count('Answers served over the cap that the payment processor has not confirmed.', 12),
    uncertainAnswers: count('Of these, answers that may have arrived and are not retried.', 0),
    lagSeconds: z.number().min(0).meta({ description: 'Age of the oldest, in seconds.', example: 4.2 }),
    reports: z
      .array(
        z.object({
          id: shownId(
            "The report's ID, its identifier at the payment processor's meter.",
            EXAMPLE_ID.request,
          ),
          organizationId: shownId('Whose answers.', EXAMPLE_ID.organization),
          answers: z.int().min(1).meta({ description: 'How many.', example: 12 }),
          servedAt: moment('When the answers were served, to a few seconds.'),
          attempts: count('Number of attempts.', 1),
          nextAttemptAt: momentOrNull('Next attempt; null: it still collects answers.'),
          isUncertain: z.boolean().meta({
            description: 'Whether it may have arrived and is not retried.',
            example: false,
          }),
          lastError: textOrNull('Why the last attempt failed.', 'HTTP 503: try again later'),
        }),
      )
      .describe('Waiting reports, oldest first.'),
  })
  .meta({ id: 'OperatorOverage', description: "How far the payment processor's meter is behind." })

const Payments = z
  .object({
    ageSeconds: z.number().min(0).meta({
      description: 'Seconds since the least recent comparison of an organization.',
      example: 1800.5,
    }),
    unreadableOrganizations: count('Organizations whose last comparison failed.', 0),
    remarkedOrganizations: count('Organizations whose subscription differs at the payment processor.', 1),
    organizations: z
      .array(
        z.object({
          organizationId: shownId('Which.', EXAMPLE_ID.organization),
          customerId: textOrNull('Customer ID at the payment processor.', 'cus_123'),
          comparedAt: momentOrNull('Last comparison; null: never.'),
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
            .describe('What differs at the payment processor.'),
          failedAttempts: count('Failed comparisons since the last success.', 0),
          nextAttemptAt: momentOrNull('Next retry; null: it did not fail.', null),
          lastError: textOrNull('Why the last one failed.', 'HTTP 404: No such customer'),
        }),
      )
      .describe('Organizations to look at, failed comparisons first.'),
  })
  .meta({
    id: 'OperatorPayments',
    description: "How the stored subscriptions differ from the payment processor's.",
  })

const ReportOutcome = z
  .strictObject({
    arrived: z
      .boolean()
      .meta({ description: 'true: it is on the meter; false: send it again.', example: true }),
  })
  .meta({ id: 'OverageReportOutcome', description: 'Whether the meter has a report.' })

export const paymentRoutes = [
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorReadOverage',
    method: 'GET',
    path: '/operator/overage',
    summary: "Show how far the payment processor's meter is behind",
    query: z.strictObject({ limit }),
    responses: { 200: Overage },
    handle: async ({ query }, { operator }) => reply(200, await operator.readOverage(query.limit)),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorReadPayments',
    method: 'GET',
    path: '/operator/payments',
    summary: 'Show subscriptions that differ at the payment processor',
    query: z.strictObject({ limit }),
    responses: { 200: Payments },
    handle: async ({ query }, { operator }) => reply(200, await operator.readPayments(query.limit)),
  }),
  defineRoute<OperatorServices>()({
    ...shared,
    operationId: 'operatorResolveOverageReport',
    method: 'PUT',
    path: '/operator/organizations/{id}/overage/{reportId}',
    summary: 'Confirm a report of extra answers, or send it again',
    params: z.object({
      id: organizationId,
      reportId: idOf("The report's ID, from the list.", EXAMPLE_ID.request),
    }),
    body: ReportOutcome,
    responses: {
      200: z.object({ resolved: z.literal(true).meta({ description: 'Recorded.', example: true }) }),
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
]
