import { Stack } from '@mantine/core'
import { useEffect } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useOverview } from '../../data/use-overview.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useNow } from '../../ui/relative-time.tsx'
import { LinesSkeleton } from '../../ui/skeletons.tsx'
import { useBilling } from '../billing/use-billing.ts'
import { useApiKeys } from '../developers/use-api-keys.ts'
import type { Connector } from '../sources/connector-list.tsx'
import type { Source } from '../sources/source-words.ts'
import { useConnectors, useSources } from '../sources/use-sources.ts'
import { AskAbout } from './ask-about.tsx'
import { RecentActivity } from './recent-activity.tsx'
import { findConcerns } from './attention.ts'
import { Checklist } from './checklist.tsx'
import { ConcernList } from './concern-list.tsx'
import { Figures, type Overview } from './figures.tsx'
import { SourcesAtAGlance } from './sources-at-a-glance.tsx'

type KeyAction = Schemas['ApiKey']['allowedActions'][number]
const RETRIEVALS: ReadonlySet<KeyAction> = new Set(['search', 'context', 'ask'])

/** Whether a key is for an agent: it retrieves, and is not the initial admin key. */
function isAgent(actions: readonly KeyAction[]): boolean {
  return !actions.includes('admin') && actions.some((action) => RETRIEVALS.has(action))
}

/** The poll interval of the first steps, in milliseconds. */
const FIRST_STEPS_MS = 5_000

/** The health of the memory: problems, size, freshness, and the rest of the plan. */
export function AdminHome() {
  const { organization } = useWorkspace()
  const [sources, billing, keys] = [useSources(), useBilling(), useApiKeys()]
  const [overview, connectors] = [useOverview(), useConnectors()]
  const all = [sources, billing, keys, overview, connectors]
  const failed = all.find(({ error, data }) => error !== null && data === undefined)
  return (
    <>
      <PageHeader title={organization.name} action={<ButtonLink to="/ask">Ask a question</ButtonLink>} />
      {failed?.error ? (
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      ) : sources.data && billing.data && keys.data && overview.data && connectors.data ? (
        <Standing
          sources={sources.data}
          billing={billing.data}
          keys={keys.data}
          overview={overview.data}
          connectors={connectors.data}
          onLook={() => void Promise.all([billing.refetch(), keys.refetch(), overview.refetch()])}
        />
      ) : (
        <LinesSkeleton lines={8} />
      )}
    </>
  )
}

function Standing({
  sources,
  billing,
  keys,
  overview,
  connectors,
  onLook,
}: {
  sources: readonly Source[]
  billing: Schemas['Billing']
  keys: readonly Schemas['ApiKey'][]
  overview: Overview
  connectors: readonly Connector[]
  /** Refetches the data that completes the first steps. */
  onLook: () => void
}) {
  const now = useNow()
  const agents = keys.filter(({ allowedActions }) => isAgent(allowedActions))
  const steps = {
    hasItems: overview.items > 0,
    hasAsked: billing.creditsUsed > 0,
    hasAgent: agents.length > 0,
    hasActed: agents.some(({ lastUsedAt }) => lastUsedAt !== null),
  }
  const isNew = Object.values(steps).includes(false)
  useLookingNowAndThen(isNew, onLook)
  return (
    <Stack gap="lg">
      <ConcernList concerns={findConcerns({ sources, billing, connectors }, now)} />
      {!steps.hasItems && <Checklist {...steps} />}
      {(steps.hasItems || !isNew) && <Figures overview={overview} billing={billing} />}
      {steps.hasItems && <AskAbout />}
      {steps.hasItems && <Checklist {...steps} />}
      <SourcesAtAGlance sources={sources} />
      {steps.hasItems && <RecentActivity />}
    </Stack>
  )
}

/** Polls while the first steps are incomplete and the page is visible. */
function useLookingNowAndThen(isNew: boolean, onLook: () => void): void {
  useEffect(() => {
    if (!isNew) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') onLook()
    }, FIRST_STEPS_MS)
    return () => clearInterval(timer)
  }, [isNew, onLook])
}
