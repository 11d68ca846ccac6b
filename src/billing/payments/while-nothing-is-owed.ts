import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import { AppError } from '../../kernel/errors.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
import { isOver } from './current.ts'
import { withPaymentLease, type PaymentLeaseDependencies } from './payment-lease.ts'

/**
 * Runs `act` while the organization has no subscription that charges or might, and no answers over the cap wait to be
 * charged. Nothing can be bought meanwhile: opening a checkout needs the lease, and open ones are closed.
 * @param processor null when none is configured: the last reading counts
 * @throws AppError `removal_refused` with a remedy, `overloaded`, `upstream_error`, and errors of `act`
 */
export async function whileNothingIsOwed<T>(
  deps: PaymentLeaseDependencies & { processor: PaymentProcessor | null },
  organizationId: string,
  act: () => Promise<T>,
): Promise<T> {
  const { db, processor } = deps
  if (processor === null) {
    await requireEndedAsRead(db, organizationId)
    await requireReported(db, organizationId)
    return await act()
  }
  return await withPaymentLease(deps, organizationId, async ({ customerId }) => {
    if (customerId !== null) await requireEnded(processor, customerId)
    await requireReported(db, organizationId)
    return await act()
  })
}

async function requireEnded(processor: PaymentProcessor, customerId: string): Promise<void> {
  const { subscriptions, isDeleted } = await processor.readCustomer(customerId)
  const living = subscriptions.filter((one) => !isOver(one)).map(({ id }) => id)
  if (living.length > 0) {
    throw new AppError(
      'removal_refused',
      `The payment processor still has a subscription for this workspace (${living.join(', ')}): cancel it there, and delete the workspace after it ends`,
      { details: { subscriptions: living } },
    )
  }
  if (isDeleted) return
  for (const { id } of await processor.listOpenCheckouts(customerId)) await processor.expireCheckout(id)
}

/** Without the payment processor the last status read counts, unless the operator has set the plan. */
async function requireEndedAsRead(db: Db, organizationId: string): Promise<void> {
  const bought = await db
    .selectFrom('payment_accounts as a')
    .innerJoin('subscriptions as s', 's.organization_id', 'a.organization_id')
    .select('a.processor_subscription_id as id')
    .where('a.organization_id', '=', organizationId)
    .where('a.processor_subscription_id', 'is not', null)
    .where('s.is_contract', '=', false)
    .where('s.status', 'not in', ['canceled', 'incomplete_expired'])
    .executeTakeFirst()
  if (bought === undefined) return
  throw new AppError(
    'removal_refused',
    `This workspace has the subscription ${bought.id} at a payment processor that is no longer configured here: cancel it there, set the workspace's plan to canceled, then delete the workspace`,
    { details: { subscriptions: [bought.id] } },
  )
}

async function requireReported(db: Db, organizationId: string): Promise<void> {
  const answers = await countUnreported(db, organizationId)
  if (answers === 0) return
  throw new AppError(
    'removal_refused',
    `${answers.toLocaleString('en')} answers over the cap have not reached the payment processor's meter: delete the workspace after they have; the operator can also resolve each report (GET /operator/overage)`,
    { details: { unreportedAnswers: answers } },
  )
}

/** How many of an organization's answers over the cap the payment processor has not confirmed. */
export async function countUnreported(db: Db, organizationId: string): Promise<number> {
  const { answers } = await db
    .selectFrom('overage_reports')
    .select(sql<number>`coalesce(sum(answers), 0)::float8`.as('answers'))
    .where('organization_id', '=', organizationId)
    .where('sent_at', 'is', null)
    .executeTakeFirstOrThrow()
  return answers
}
