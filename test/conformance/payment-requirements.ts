/** The requirements of billing: `id: text`. */
export const PAYMENT_REQUIREMENTS: Record<string, string> = {
  'PAY-1': 'A new workspace is incomplete where a payment processor is configured.',
  'PAY-2':
    'Every paid tier begins with a trial of seven days, once for an organization, that needs a card; until its end nothing is charged. GET /v1/console/billing says so before checkout.',
  'PAY-3': 'trialing has full use of the tier.',
  'PAY-4':
    'The organization travels as client_reference_id and as metadata.organizationId of checkout and subscription.',
  'PAY-5':
    'An organization has one customer at the payment processor, however often and parallel it is asked.',
  'PAY-6':
    'Prices are found by lookup key, <tier>_<interval>, and that of extra answers is added for Studio and Scale.',
  'PAY-7': 'A checkout records billing.checkout.create, an opened portal billing.portal.create.',
  'PAY-8': 'A missing price answers 502 and is named.',
  'PAY-9': 'An organization with a live subscription is sent to the portal, not to a second subscription.',
  'PAY-10': 'A checkout that is abandoned leaves incomplete_expired, and can be run again.',
  'PAY-11': 'A first payment that fails leaves incomplete, without retrieval.',
  'PAY-12': 'A trial that is not canceled is charged at its end and becomes active.',
  'PAY-13': "Periods are the payment processor's own, and credits reset with them.",
  'PAY-14':
    'A failed payment is past_due with full use, unpaid without retrieval once all attempts failed, and active again once it is paid.',
  'PAY-15':
    'A cancellation holds from the end of the period, which is shown until then; canceled retrieves nothing.',
  'PAY-16': "An upgrade holds at once and keeps the credits used; a downgrade waits for the period's end.",
  'PAY-17': 'A plan paid by the year has its credits by the month.',
  'PAY-18': 'paused retrieves nothing.',
  'PAY-19':
    "The webhook takes what carries the payment processor's signature of the last five minutes over the raw body; anything else is 400.",
  'PAY-20': 'An event about an unknown organization or price is answered 200 and changes nothing.',
  'PAY-21':
    'Each event is taken at most once, and in any order: what is stored is what the payment processor says now.',
  'PAY-22': 'A lost event is made up for within the hour.',
  'PAY-23': 'An event that is taken has its effect, though the payment processor cannot be read at the time.',
  'PAY-24': 'A contract that the operator has set is never overwritten by an event.',
  'PAY-25':
    "After a downgrade the newest agents beyond the tier's number get 402 plan_limit_reached, with what to do, from search, context and ask; their other routes keep working.",
  'PAY-26':
    "After a downgrade the newest sources beyond the tier's number are not polled, and stay readable.",
  'PAY-27':
    'Over the cap of a metered tier each answer is counted, priced and reported to the meter answers_overage; none before it.',
  'PAY-28': 'Each such answer is reported exactly once, whatever fails or crashes in between.',
  'PAY-29': "What waits to be reported is seen in /metrics and on the operator's surface.",
  'PAY-30': 'Answers are reported in a bounded number of calls.',
  'PAY-31': 'Answers are charged in the period in which they were served.',
  'PAY-32':
    'The tiers cost 99, 299 and 799 USD a month, 950, 2,870 and 7,670 a year, with 5,000, 25,000 and 100,000 credits a month and 0.015 USD an extra answer of Studio and Scale.',
  'PAY-33': 'Checkout and portal without a payment processor: 503 that names the settings.',
  'PAY-35':
    'Answers over the cap in a trial are served, counted and reported to the meter, and cost nothing, whatever becomes of the trial.',
  'PAY-36':
    'Changes by hand at the payment processor take effect, and a removed price of extra answers is added again.',
  'PAY-37':
    'A subscription with an unknown price keeps its tier and follows its status; a missing one counts as canceled.',
  'PAY-38':
    'The operator sees differences at the payment processor, failed comparisons, and changes that no event announced.',
  'PAY-39': 'A planned downgrade or end of a plan is shown in advance, with its time.',
  'PAY-50': 'An admin lists the newest invoices of the workspace, none before its first checkout.',
  'PAY-34': 'GET /v1/console/billing shows what is paid, used and included: money as decimal strings.',
}
