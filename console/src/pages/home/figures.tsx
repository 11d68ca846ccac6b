import type { Schemas } from '../../api/client.ts'
import { count, formatNumber } from '../../ui/format.ts'
import { Meter } from '../../ui/meter.tsx'
import { formatDate, RelativeTime } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { Status } from '../../ui/status.tsx'
import { describeSubscription, planName } from '../billing/plan-words.ts'

export interface Overview {
  items: number
  chunks: number
  itemsWaiting: number
  sources: readonly { items: number; lastSyncedAt: string | null }[]
  isCapped: boolean
}

/** The size and freshness of the memory and, for admins, the rest of the plan. */
export function Figures({ overview, billing }: { overview: Overview; billing?: Schemas['Billing'] }) {
  const { items, chunks, itemsWaiting, sources, isCapped } = overview
  const freshest = sources
    .flatMap(({ lastSyncedAt }) => (lastSyncedAt === null ? [] : [lastSyncedAt]))
    .toSorted()
    .at(-1)
  const more = isCapped ? '+' : ''
  return (
    <Stats>
      <Stat label="Items in the memory" value={formatNumber(items) + more}>
        {`${count(chunks, 'passage')} from ${count(sources.filter(({ items: stored }) => stored > 0).length, 'source')}`}
        {itemsWaiting > 0 && <div>{`${count(itemsWaiting, 'item')} not in Memory yet`}</div>}
      </Stat>
      <Stat label="Last synced" value={freshest === undefined ? 'Never' : <RelativeTime at={freshest} />}>
        {freshest === undefined ? 'No account is synced yet' : formatDate(freshest)}
      </Stat>
      {billing && <CreditFigures billing={billing} />}
    </Stats>
  )
}

function CreditFigures({ billing }: { billing: Schemas['Billing'] }) {
  const { creditsUsed, creditsIncluded, creditsRemaining } = billing
  const { tone, word } = describeSubscription(billing.status)
  const plan = billing.status === 'internal' ? 'Internal' : planName(billing.tier)
  return (
    <>
      <Stat
        label={creditsIncluded === null ? 'Credits used' : 'Credits left'}
        value={formatNumber(creditsIncluded === null ? creditsUsed : (creditsRemaining ?? 0))}
      >
        {creditsIncluded === null ? 'No limit' : `of ${formatNumber(creditsIncluded)}`}
        {creditsIncluded !== null && (
          <Meter used={creditsUsed} included={creditsIncluded} label="Credits used" />
        )}
      </Stat>
      <Stat label="Plan" value={plan}>
        <Status tone={tone}>{word}</Status>
        {billing.status !== 'internal' && <span> until {formatDate(billing.periodEnd)}</span>}
      </Stat>
    </>
  )
}
