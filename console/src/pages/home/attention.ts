import type { Schemas } from '../../api/client.ts'
import type { PagePath } from '../../data/pages.ts'
import { providerFacts, providerName } from '../../api/provider-list.ts'
import { describeSubscription, paymentFault } from '../billing/plan-words.ts'
import type { Connector } from '../sources/connector-list.tsx'
import { nameOf, type Source } from '../sources/source-words.ts'

/** A problem with its fix. `text` is null if the source's last run says what to do. */
export type Concern = { id: string; title: string } & (
  | { source: Source; text: string | null }
  | { to: PagePath | '/sources/new'; action: string; text: string }
)

/** Sources sync every 15 minutes, or as rarely as their provider demands. One without a sync for longer has a problem. */
const STALE_MS = 24 * 60 * 60_000
const CREDITS_LOW = 0.8

/** Problems that need attention, most urgent first. `now` in epoch milliseconds. */
export function findConcerns(
  {
    sources,
    billing,
    connectors,
  }: { sources: readonly Source[]; billing: Schemas['Billing']; connectors: readonly Connector[] },
  now: number,
): Concern[] {
  return [
    ...billingConcerns(billing),
    ...sources.flatMap((source) => sourceConcerns(source, now)),
    ...connectors.flatMap(accessConcerns),
  ]
}

function billingConcerns(billing: Schemas['Billing']): Concern[] {
  const { word, isServed } = describeSubscription(billing.status)
  const { creditsUsed, creditsIncluded } = billing
  const concerns: Concern[] = []
  const add = (id: string, title: string, text: string, action: string): void => {
    concerns.push({ id, title, text, to: '/billing', action })
  }
  // The banner on every page reports payments that did not go through.
  if (!isServed && paymentFault(billing) === null)
    add('subscription', word, 'Retrieval is refused until you choose a plan.', 'Choose a plan')
  if (isServed && creditsIncluded !== null && creditsUsed >= creditsIncluded * CREDITS_LOW)
    add(
      'credits',
      creditsUsed >= creditsIncluded ? 'The included credits are used up' : 'Few credits are left',
      `${creditsUsed} of ${creditsIncluded} are used.`,
      'See billing',
    )
  return concerns
}

function sourceConcerns(source: Source, now: number): Concern[] {
  const { id, status, provider } = source
  // Accounts of different providers often have the same name.
  const name = `${nameOf(source)} (${providerName(provider) ?? provider})`
  if (status === 'error') return [{ id, title: `${name} cannot be synced`, text: null, source }]
  if (isOutOfDate(source, now))
    return [
      {
        id,
        title: `${name} is out of date`,
        text: 'It has not been synced for over a day.',
        source,
      },
    ]
  return []
}

export function isOutOfDate(
  { provider, status, lastSyncedAt }: Pick<Source, 'provider' | 'status' | 'lastSyncedAt'>,
  now: number,
): boolean {
  if (status !== 'active' || lastSyncedAt === null) return false
  const pollMs = (providerFacts(provider).pollMinutes ?? 0) * 60_000
  return now - Date.parse(lastSyncedAt) > Math.max(STALE_MS, 2 * pollMs)
}

function accessConcerns({ provider, access }: Connector): Concern[] {
  if (access !== 'pending') return []
  return [
    {
      id: `access ${provider}`,
      title: `${providerName(provider) ?? provider} waits for access`,
      text: 'The operator of this service has not answered yet.',
      to: '/sources/new',
      action: 'View',
    },
  ]
}
