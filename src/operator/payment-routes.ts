import { z } from 'zod'
import { ComparisonStatus, OverageStatus, RemarkedOrganization, WaitingReport } from '../billing/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import { EXAMPLE_ID, idOf } from '../kernel/schemas.ts'
import { limit, type OperatorServices, organizationId, shared } from './route-parts.ts'

const Overage = z
  .object({
    ...OverageStatus.shape,
    reports: z.array(WaitingReport).describe('Waiting reports, oldest first.'),
  })
  .meta({ id: 'OperatorOverage', description: "How far the payment processor's meter is behind." })

const Payments = z
  .object({
    ...ComparisonStatus.shape,
    organizations: z
      .array(RemarkedOrganization)
      .describe('Organizations that need attention, failed comparisons first.'),
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
