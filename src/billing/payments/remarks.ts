import type { PaymentRemark } from '../../database/schema.ts'
import type { CustomerReading } from '../payment-processor.ts'
import { isLive, isOver } from './current.ts'

export const REMARKS: Record<PaymentRemark, string> = {
  unknown_price:
    'a subscription at the payment processor has an unknown price: if it is the current plan, its status is followed, but not its tier',
  subscription_gone:
    'the subscription of an organization no longer exists at the payment processor, and counts as canceled',
  several_subscriptions:
    'an organization has several live subscriptions at the payment processor, and pays for each',
  beside_contract:
    'an organization with a contract also has a subscription at the payment processor, and pays for it',
  several_plans: 'a subscription has several plans, is charged for each, and counts as the largest',
  quantity: 'a subscription has a quantity other than one, and counts as one',
  extra_answers_price: 'a subscription charges a different price for extra answers than the one shown here',
  extra_answers_missing:
    'a subscription lacks the price of extra answers, which could not be added: they are reported and not charged',
  collection_paused: 'the collection of payments is paused, but the subscription continues',
}

/** A deviation in a reading, with its subscriptions. */
export interface Remarked {
  remark: PaymentRemark
  fields: { subscriptions: string[] }
}

/** The issues of a reading for the operator, each kind once. */
export function remarksOn(
  reading: CustomerReading,
  { isContract, found }: { isContract: boolean; found: readonly Remarked[] },
): Remarked[] {
  const live = reading.subscriptions.filter((one) => one.tier !== null && isLive(one))
  const unknown = reading.subscriptions.filter((one) => one.tier === null && !isOver(one))
  const own = new Set(live.flatMap(({ remarks }) => remarks))
  return [
    ...found,
    ...about('unknown_price', unknown),
    ...about('several_subscriptions', live.length > 1 ? live : []),
    ...about('beside_contract', isContract ? live : []),
    ...[...own].flatMap((remark) =>
      about(
        remark,
        live.filter(({ remarks }) => remarks.includes(remark)),
      ),
    ),
  ]
}

function about(remark: PaymentRemark, subscriptions: readonly { id: string }[]): Remarked[] {
  return subscriptions.length === 0
    ? []
    : [{ remark, fields: { subscriptions: subscriptions.map(({ id }) => id) } }]
}
