import { Stack } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../app/workspace.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Meter } from '../../ui/meter.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import { formatDate, RelativeTime, useNow } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { Status } from '../../ui/status.tsx'
import { describeSubscription, planName } from '../billing/plan-words.ts'
import { useBilling } from '../billing/use-billing.ts'
import { useApiKeys } from '../developers/use-api-keys.ts'
import { useSources } from '../sources/use-sources.ts'
import { findConcerns } from './attention.ts'
import { Checklist } from './checklist.tsx'
import { ConcernList } from './concern-list.tsx'
import { SourcesAtAGlance } from './sources-at-a-glance.tsx'

/** Whether the memory is healthy: what needs attention, how much there is, how fresh it is, what of the plan is left. */
export function AdminHome() {
  const { organization } = useWorkspace()
  const [sources, billing, keys] = [useSources(), useBilling(), useApiKeys()]
  const failed = [sources, billing, keys].find(({ error, data }) => error !== null && data === undefined)
  return (
    <>
      <PageHeader
        title={organization.name}
        text="What your agents know, and whether it is up to date."
        action={<ButtonLink to="/ask">Ask a question</ButtonLink>}
      />
      {failed?.error ? (
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      ) : sources.data && billing.data && keys.data ? (
        <Overview sources={sources.data} billing={billing.data} keys={keys.data} />
      ) : (
        <LinesSkeleton lines={8} />
      )}
    </>
  )
}

function Overview({
  sources,
  billing,
  keys,
}: {
  sources: readonly Schemas['Source'][]
  billing: Schemas['Billing']
  keys: readonly Schemas['ApiKey'][]
}) {
  const now = useNow()
  const agents = keys.filter(({ actorType }) => actorType === 'agent')
  return (
    <Stack gap="lg">
      <ConcernList concerns={findConcerns(sources, billing, now)} />
      <Figures sources={sources} billing={billing} />
      <Checklist
        hasItems={sources.some(({ sourceItemCount }) => sourceItemCount > 0)}
        hasAsked={billing.creditsUsed > 0}
        hasAgent={agents.length > 0}
        hasActed={agents.some(({ lastUsedAt }) => lastUsedAt !== null)}
      />
      <SourcesAtAGlance sources={sources} />
    </Stack>
  )
}

function Figures({
  sources,
  billing,
}: {
  sources: readonly Schemas['Source'][]
  billing: Schemas['Billing']
}) {
  const items = sources.reduce((sum, { sourceItemCount }) => sum + sourceItemCount, 0)
  const freshest = sources
    .flatMap(({ lastSyncedAt }) => (lastSyncedAt === null ? [] : [lastSyncedAt]))
    .toSorted()
    .at(-1)
  const { tone, word } = describeSubscription(billing.status)
  const { creditsUsed, creditsIncluded, creditsRemaining } = billing
  return (
    <Stats>
      <Stat label="Items in the memory" value={formatNumber(items)}>
        {`from ${count(sources.filter(({ sourceItemCount }) => sourceItemCount > 0).length, 'source')}`}
      </Stat>
      <Stat label="Freshness" value={freshest === undefined ? 'Not synced' : 'Synced'}>
        {freshest === undefined ? 'Documents come when they are pushed' : <RelativeTime at={freshest} />}
      </Stat>
      <Stat
        label={creditsIncluded === null ? 'Credits used' : 'Credits left'}
        value={formatNumber(creditsIncluded === null ? creditsUsed : (creditsRemaining ?? 0))}
      >
        {creditsIncluded === null ? 'No limit' : `of ${formatNumber(creditsIncluded)}`}
        {creditsIncluded !== null && (
          <Meter used={creditsUsed} included={creditsIncluded} label="Credits used" />
        )}
      </Stat>
      <Stat label="Plan" value={billing.status === 'internal' ? 'Internal' : planName(billing.tier)}>
        <Status tone={tone}>{word}</Status>
        {billing.status !== 'internal' && <span> until {formatDate(billing.periodEnd)}</span>}
      </Stat>
    </Stats>
  )
}
