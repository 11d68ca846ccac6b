import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { providerName } from '../../api/provider-list.ts'
import { Reading } from '../../ui/reading.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { ChannelsPanel } from './channels-panel.tsx'
import { ReconnectedNotice } from './reconnected-notice.tsx'
import { SourceActions } from './source-actions.tsx'
import { SourceStanding } from './source-standing.tsx'
import { SourceTabs } from './source-tabs.tsx'
import { awaitsChannels, isForFiles, isPushOnly, nameOf, type Source } from './source-words.ts'
import { useReadAfterRuns, useRunsOf } from './use-runs.ts'
import { useSources } from './use-sources.ts'

const route = getRouteApi('/admins/sources/$sourceId')

/** One source: its state, items and runs. */
export function SourcePage() {
  const { sourceId } = route.useParams()
  const sources = useSources()
  return (
    <>
      <BackLink to="/sources">Sources</BackLink>
      <Reading query={sources}>
        {(rows) => {
          const source = rows.find(({ id }) => id === sourceId)
          return source === undefined ? <NoSuchSource /> : <Details key={source.id} source={source} />
        }}
      </Reading>
    </>
  )
}

function Details({ source }: { source: Source }) {
  const { reconnected } = route.useSearch()
  const runs = useRunsOf(source.id)
  const newest = runs.rows[0]
  useReadAfterRuns([source], runs.rows)
  const isWaiting = awaitsChannels(source, newest) && !isPushOnly(source)
  return (
    <>
      <PageHeader
        title={nameOf(source)}
        text={textOf(source)}
        action={<SourceActions source={source} run={newest} />}
      />
      {isWaiting && runs.data === undefined ? (
        // Its runs decide whether the choice of channels comes first.
        <Reading query={runs}>{() => null}</Reading>
      ) : (
        <Stack gap="lg">
          {reconnected && <ReconnectedNotice source={source} run={newest} />}
          {isWaiting && <ChannelsPanel source={source} isNew isWaiting />}
          <SourceStanding
            source={source}
            run={newest}
            waitingUntil={newest === undefined ? null : runs.waitingUntil(newest.id)}
          />
          {!isWaiting && <SourceTabs source={source} runs={runs} />}
        </Stack>
      )}
    </>
  )
}

function textOf(source: Source): string {
  const name = providerName(source.provider) ?? source.provider
  if (!isPushOnly(source)) return `${name} account`
  return isForFiles(source) ? 'Imported files and pushed documents' : `Files and pushed documents of ${name}`
}

function NoSuchSource() {
  return (
    <>
      <PageHeader title="Source not found" />
      <Panel>
        <EmptyState
          icon={SearchX}
          title="This source does not exist"
          text="It may have been deleted, or it belongs to another workspace."
          action={
            <ButtonLink to="/sources" variant="default">
              See all sources
            </ButtonLink>
          }
        />
      </Panel>
    </>
  )
}
