/** The requirements of billing: `id: text`. */
export const PAYMENT_REQUIREMENTS: Record<string, string> = {
  'PAY-1': 'With a payment processor, a new workspace is incomplete.',
  'PAY-2':
    'Every paid tier begins with a seven-day trial, once per organization, that requires a card; nothing is charged before it ends. GET /v1/console/billing says so before checkout.',
  'PAY-3': 'trialing allows full use of the tier.',
  'PAY-4':
    'The organization is passed as client_reference_id and as metadata.organizationId of checkout and subscription.',
  'PAY-5': 'An organization has one customer at the payment processor, also under concurrent requests.',
  'PAY-6':
    'Prices are found by lookup key, <tier>_<interval>, and the price of extra answers is added for Studio and Scale.',
  'PAY-7': 'Opening a checkout records billing.checkout.create, opening the portal billing.portal.create.',
  'PAY-8': 'A missing price returns 502 with its name.',
  'PAY-9': 'An organization with a live subscription gets the portal instead of a second subscription.',
  'PAY-10': 'An abandoned checkout leaves incomplete_expired, and can be repeated.',
  'PAY-11': 'A failed first payment leaves incomplete, without retrieval.',
  'PAY-12': 'A trial that is not canceled is charged when it ends and becomes active.',
  'PAY-13': 'Periods are those of the payment processor, and credits reset with them.',
  'PAY-14':
    'After a failed payment, the status is past_due with full use; unpaid without retrieval after the last attempt fails; and active again once it is paid.',
  'PAY-15':
    'A cancellation applies at the end of the period, and is shown until then; canceled allows no retrieval.',
  'PAY-16':
    'An upgrade applies immediately and keeps the used credits; a downgrade applies at the end of the period.',
  'PAY-17': 'An annual plan gets its credits monthly.',
  'PAY-18': 'paused allows no retrieval.',
  'PAY-19':
    'The webhook accepts only bodies with a signature of the payment processor from the last five minutes; anything else returns 400.',
  'PAY-20': 'An event about an unknown organization or price returns 200 and changes nothing.',
  'PAY-21':
    "Events can arrive repeatedly and in any order: the stored state is the payment processor's current one.",
  'PAY-22': 'The effect of a lost event arrives within an hour.',
  'PAY-23': 'An accepted event takes effect even if the payment processor cannot be read at that time.',
  'PAY-24': 'An event never overwrites a contract that the operator has set.',
  'PAY-25':
    "After a downgrade, the newest agents beyond the tier's limit get 402 plan_limit_reached from search, context and ask, with what to do; their other routes keep working.",
  'PAY-26':
    "After a downgrade, the newest sources beyond the tier's limit are not polled, but stay readable.",
  'PAY-27':
    'Over the cap of a metered tier, each answer is counted, priced and reported to the meter answers_overage; answers below the cap are not.',
  'PAY-28': 'Each such answer is reported exactly once, despite failures and crashes.',
  'PAY-29': 'Waiting reports are visible in /metrics and in the operator routes.',
  'PAY-30': 'Answers are reported in a bounded number of calls.',
  'PAY-31': 'Answers are charged in the period in which they were served.',
  'PAY-32':
    'The tiers cost 99, 299 and 799 USD a month or 950, 2,870 and 7,670 USD a year, with 5,000, 25,000 and 100,000 credits a month; an extra answer on Studio and Scale costs 0.015 USD.',
  'PAY-33': 'Without a payment processor, checkout and portal return 503 with the names of the settings.',
  'PAY-35':
    'Answers over the cap in a trial are served, counted and reported to the meter, and cost nothing, however the trial ends.',
  'PAY-36':
    'Manual changes at the payment processor take effect, and a removed price of extra answers is added again.',
  'PAY-37':
    'A subscription with an unknown price keeps its tier and follows its status; a missing one counts as canceled.',
  'PAY-38':
    'The operator sees differences at the payment processor, failed comparisons, and changes that no event announced.',
  'PAY-39': 'A planned downgrade or end of a plan is shown in advance, with its time.',
  'PAY-50': "An admin lists the workspace's newest invoices; before the first checkout there are none.",
  'PAY-34': 'GET /v1/console/billing shows what is paid, used and included, with money as decimal strings.',
}
