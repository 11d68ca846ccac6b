import { Button, Group, Stack } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Database, Plus, SearchX } from 'lucide-react'
import { useState } from 'react'
import { OutcomeNotice } from '../../ui/outcome-notice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { anyProvider, hasChannels, providerName } from '../../api/provider-list.ts'
import { Reading } from '../../ui/reading.tsx'
import { ChannelsPanel } from './channels-panel.tsx'
import { LastSynced } from './last-synced.tsx'
import { filterSources, readSourcesSearch, SEARCHED_FROM } from './source-filter.ts'
import classes from './source-filters.module.css'
import { SourceFilters } from './source-filters.tsx'
import { SourceName } from './source-name.tsx'
import { SkippedLink } from './skipped-link.tsx'
import { SourceState } from './source-state.tsx'
import { awaitsChannels, isPushOnly, isUnused, type Source } from './source-words.ts'
import { useLiveRuns, useSyncRuns } from './use-runs.ts'
import { useSources } from './use-sources.ts'

const route = getRouteApi('/admins/sources')
/** Rows to render at first, and per click on the button below. */
const ROWS = 50

export function SourcesPage() {
  const sources = useSources()
  const [isAll, setAll] = useState(false)
  const unused = sources.data?.filter(isUnused).length ?? 0
  return (
    <>
      <PageHeader
        title="Sources"
        text="Connected accounts, imported files and pushed documents."
        action={
          <Group gap="xs">
            <ButtonLink to="/sources/items" variant="default">
              Browse items
            </ButtonLink>
            <ButtonLink to="/sources/import" variant="default">
              Import files
            </ButtonLink>
            <ButtonLink to="/sources/new" leftSection={<Plus size={16} aria-hidden />}>
              Add a source
            </ButtonLink>
          </Group>
        }
      />
      <Stack gap="lg">
        <OutcomeNotice />
        <NewChannels sources={sources.data ?? []} />
        <Panel isFlush>
          <Reading query={sources}>
            {(rows) =>
              rows.every(isUnused) && rows.length > 0 && !isAll ? (
                <EmptyState
                  icon={Database}
                  title="No sources in use yet"
                  text={`Connect ${anyProvider()}, import files, or push documents over the API.`}
                  action={<ButtonLink to="/sources/new">Add the first source</ButtonLink>}
                />
              ) : rows.length === 0 ? (
                <EmptyState
                  icon={Database}
                  title="No sources yet"
                  text={`Connect ${anyProvider()}, import files, or push documents over the API.`}
                  action={<ButtonLink to="/sources/new">Add the first source</ButtonLink>}
                />
              ) : (
                <Sources sources={isAll ? rows : rows.filter((source) => !isUnused(source))} />
              )
            }
          </Reading>
        </Panel>
        {!isAll && unused > 0 && (
          <Group>
            <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
              Show {count(unused, 'unused push source')}
            </Button>
          </Group>
        )}
      </Stack>
    </>
  )
}

/** The channel choice for an account that the user has just connected. */
function NewChannels({ sources }: { sources: readonly Source[] }) {
  const connected = new URLSearchParams(globalThis.location.search).get('connected')
  const source = sources.find(({ id }) => id === connected)
  const { data: runs } = useSyncRuns()
  if (source === undefined || !hasChannels(source.provider)) return null
  const run = runs?.find(({ connectorId }) => connectorId === source.id)
  return <ChannelsPanel source={source} isNew isWaiting={awaitsChannels(source, run)} />
}

/** All sources, with a search if there are many. */
function Sources({ sources }: { sources: readonly Source[] }) {
  // The redirect after connecting an account adds parameters that are not filters.
  const search = readSourcesSearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const [drawn, setDrawn] = useState(ROWS)
  const found = filterSources(sources, search)
  const isSearched = sources.length >= SEARCHED_FROM || Object.keys(search).length > 0
  return (
    <>
      {isSearched && (
        <SourceFilters
          search={search}
          shown={found.length}
          all={sources.length}
          onChange={(next) => {
            setDrawn(ROWS)
            void navigate({ to: '/sources', search: next, replace: true, resetScroll: false })
          }}
        />
      )}
      {found.length === 0 ? (
        <EmptyState icon={SearchX} title="No results" text="Change the search or clear the filters." />
      ) : (
        <SourceTable sources={found.slice(0, drawn)} />
      )}
      {found.length > drawn && (
        <div className={classes.more}>
          <Button variant="default" fullWidth onClick={() => setDrawn(drawn + ROWS)}>
            {`Show ${Math.min(ROWS, found.length - drawn)} more of ${formatNumber(found.length)}`}
          </Button>
        </div>
      )}
    </>
  )
}

function SourceTable({ sources }: { sources: readonly Source[] }) {
  const { data: runs } = useLiveRuns()
  return (
    <DataTable
      label="Sources"
      rows={sources}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Name',
          cell: (source) => (
            <SourceName
              source={source}
              text={isPushOnly(source) ? 'Uploads and API' : `${providerName(source.provider)} account`}
            />
          ),
        },
        {
          label: 'State',
          cell: (source) => (
            <SourceState source={source} run={runs?.find(({ connectorId }) => connectorId === source.id)} />
          ),
        },
        {
          label: 'Last synced',
          cell: (source) => <LastSynced source={source} />,
        },
        {
          label: 'Items',
          cell: (source) => (
            <div className={classes.items}>
              {formatNumber(source.sourceItemCount)}
              <SkippedLink source={source} />
            </div>
          ),
          isAtEnd: true,
        },
      ]}
    />
  )
}
