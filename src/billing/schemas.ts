import { z } from 'zod'
import { INTERVALS, PAYMENT_REMARKS, SUBSCRIPTION_STATUSES, TIERS } from '../database/schema-words.ts'
import { count, EXAMPLE_ID, moment, momentOrNull, shownId, text, textOrNull } from '../kernel/schemas.ts'
import { SOLD_TIERS } from './plans/plans.ts'

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'uncollectible', 'void'] as const

const countOrNull = (description: string, example: number) =>
  z.int().min(0).nullable().meta({ description, example })

const PlannedChange = z.object({
  at: moment('When the change takes effect.', '2026-04-01T00:00:00.000Z'),
  tier: z
    .enum(TIERS)
    .nullable()
    .meta({ description: 'The new plan; null: the plan ends.', example: 'builder' }),
  interval: z
    .enum(INTERVALS)
    .nullable()
    .meta({ description: 'The new billing interval; null: the plan ends.', example: 'monthly' }),
})
export type PlannedChange = z.output<typeof PlannedChange>

/** Subscription fields that all surfaces share. */
const subscriptionFields = {
  creditsUsed: count('Credits used in the current period, including those of requests in flight.', 1200),
  creditsIncluded: countOrNull('Credits per period; null: unlimited.', 5000),
  creditsRemaining: countOrNull('Credits left; 0 over the cap of a metered tier; null: unlimited.', 3800),
  agentsIncluded: countOrNull(
    'Active keys with search, context or ask that the plan allows; null: any number.',
    2,
  ),
  connectorsIncluded: countOrNull('Connectors that the plan allows; null: any number.', 2),
  tier: z.enum(TIERS).nullable().describe('The plan; null: none was chosen.'),
  status: z.enum(SUBSCRIPTION_STATUSES).meta({
    description:
      'The status. Only `trialing`, `active`, `past_due` and `internal` subscriptions can search and ask.',
    example: 'active',
  }),
  periodStart: moment('When the current period began.', '2026-03-01T00:00:00.000Z'),
  periodEnd: moment(
    'When the current period ends and new credits are available.',
    '2026-04-01T00:00:00.000Z',
  ),
  interval: z
    .enum(INTERVALS)
    .nullable()
    .meta({ description: 'The billing interval; null: the plan was not bought.', example: 'monthly' }),
  trialEndsAt: momentOrNull('When the trial ends; null: no trial.', null),
  cancelAtPeriodEnd: z
    .boolean()
    .meta({ description: 'Whether the plan ends with the current period.', example: false }),
  plannedChange: PlannedChange.nullable().meta({
    description: 'A planned change, such as a downgrade or a cancellation; null: none.',
    example: null,
  }),
  overageAnswers: count('Answers over the cap in the current period.', 0),
  overageCostUsd: z
    .string()
    .regex(/^\d+\.\d{2,6}$/)
    .meta({ description: 'Cost of these answers so far, in US dollars; 0 in a trial.', example: '0.00' }),
  paymentMethodMissing: z.boolean().meta({
    description: 'Whether there is no payment method for the next payment.',
    example: false,
  }),
}

export const OVER_CAP = ['block', 'metered'] as const

export const Subscription = z
  .object({
    ...subscriptionFields,
    overCap: z.enum(OVER_CAP).meta({
      description: 'Whether calls over the included credits are refused or charged.',
      example: 'block',
    }),
    extraAnswerUsd: textOrNull('Price of an answer over the cap, in US dollars; null: not sold.'),
    isContract: z.boolean().meta({
      description:
        'Whether the operator set the terms; events from the payment processor then do not change them.',
      example: false,
    }),
  })
  .meta({ id: 'Subscription', description: "An organization's plan and its current period." })
export type Subscription = z.output<typeof Subscription>

export const BillingState = z
  .object({
    ...subscriptionFields,
    agentsUsed: count('Active keys with search, context or ask.', 1),
    connectorsUsed: count('Sources with an account at a provider. Push-only sources are not connectors.', 2),
    trialDays: count('Days of free trial at the next checkout; 0: the workspace has used its trial.', 7),
    cardRequired: z
      .boolean()
      .meta({ description: 'Whether checkout requires a card, even for a trial.', example: true }),
  })
  .meta({ id: 'Billing', description: 'The plan, its current period and its use.' })

export type BillingState = z.output<typeof BillingState>

export const Checkout = z
  .strictObject({
    tier: z.enum(SOLD_TIERS).describe('The plan to buy.'),
    interval: z.enum(INTERVALS).describe('The billing interval.'),
  })
  .meta({ id: 'Checkout', description: 'What to buy.' })

export const HostedPage = z
  .object({
    url: z.url().meta({
      description: 'The page to send the browser to.',
      example: 'https://pay.example.com/session/1',
    }),
  })
  .meta({ id: 'HostedPage', description: 'A page of the payment processor.' })

export const Invoice = z
  .object({
    id: text("The invoice's ID at the payment processor.", 'in_1'),
    number: textOrNull('The invoice number; null: not final yet.', 'ACME-0001'),
    createdAt: moment('When it was created.'),
    status: z.enum(INVOICE_STATUSES).meta({ description: 'The status.', example: 'paid' }),
    total: z.int().meta({ description: "The total, in the currency's smallest unit.", example: 9900 }),
    currency: text('The currency, ISO 4217.', 'usd'),
    url: textOrNull(
      "The invoice's page at the payment processor; null: none yet.",
      'https://pay.example.com/invoice/1',
    ),
  })
  .meta({ id: 'Invoice', description: 'An invoice of the workspace.' })
export type Invoice = z.output<typeof Invoice>

/** How far the payment processor's meter lags. */
export const OverageStatus = z.object({
  waitingAnswers: count('Answers served over the cap that the payment processor has not confirmed.', 12),
  uncertainAnswers: count('Of these, answers that may have arrived and are not retried.', 0),
  lagSeconds: z
    .number()
    .min(0)
    .meta({ description: 'Age of the oldest unconfirmed answer, in seconds.', example: 4.2 }),
})
export type OverageStatus = z.output<typeof OverageStatus>

export const WaitingReport = z.object({
  id: shownId(
    "The report's ID, which also identifies it at the payment processor's meter.",
    EXAMPLE_ID.request,
  ),
  organizationId: shownId('The organization that the answers were served to.', EXAMPLE_ID.organization),
  answers: z.int().min(1).meta({ description: 'Number of answers.', example: 12 }),
  servedAt: moment('When the answers were served, to a few seconds.'),
  attempts: count('Number of attempts.', 1),
  nextAttemptAt: momentOrNull('Next attempt; null: the report still collects answers.'),
  isUncertain: z.boolean().meta({
    description: 'Whether the report may have arrived and is not retried.',
    example: false,
  }),
  lastError: textOrNull('Why the last attempt failed.', 'HTTP 503: try again later'),
})
export type WaitingReport = z.output<typeof WaitingReport>

/** How well stored organizations agree with the payment processor. */
export const ComparisonStatus = z.object({
  ageSeconds: z.number().min(0).meta({
    description: 'Seconds since the least recent comparison of an organization.',
    example: 1800.5,
  }),
  unreadableOrganizations: count('Organizations whose last comparison failed.', 0),
  remarkedOrganizations: count('Organizations whose subscription differs at the payment processor.', 1),
})
export type ComparisonStatus = z.output<typeof ComparisonStatus>

/** An organization that needs the operator's attention. */
export const RemarkedOrganization = z.object({
  organizationId: shownId("The organization's ID.", EXAMPLE_ID.organization),
  customerId: textOrNull('Customer ID at the payment processor.', 'cus_123'),
  comparedAt: momentOrNull('Last comparison; null: never.'),
  remarks: z
    .array(
      z.object({
        remark: z
          .enum(PAYMENT_REMARKS)
          .meta({ description: 'The difference that was found.', example: 'quantity' }),
        text: text(
          'The difference in words.',
          'a subscription has a quantity other than one, and counts as one',
        ),
      }),
    )
    .describe('What differs at the payment processor.'),
  failedAttempts: count('Failed comparisons since the last success.', 0),
  nextAttemptAt: momentOrNull('Next retry; null: the last comparison succeeded.', null),
  lastError: textOrNull('Why the last comparison failed.', 'HTTP 404: No such customer'),
})
export type RemarkedOrganization = z.output<typeof RemarkedOrganization>
