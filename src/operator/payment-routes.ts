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

export const paymentRoutes = [
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
]
