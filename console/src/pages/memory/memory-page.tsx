import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search, Share2 } from 'lucide-react'
import { useState } from 'react'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../app/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TooMany } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'

const NODES_MAX = 100
const TYPING_MS = 250

/** Who, what and where the stored items name, the heaviest first. */
export function MemoryPage() {
  const { api, organization } = useWorkspace()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), TYPING_MS)
  const canvas = useQuery({
    queryKey: [organization.id, 'memory-canvas', q],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/v1/console/memory-canvas', {
          params: { query: { limit: NODES_MAX, ...(q === '' ? {} : { q }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageHeader
        title="Memory"
        text="The people, organizations, channels and topics that your documents name."
      />
      <TextInput
        mb="lg"
        aria-label="Find in the memory"
        placeholder="Find a name or a topic"
        leftSection={<Search size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Panel isFlush>
        <Reading query={canvas}>
          {({ nodes }) =>
            nodes.length === 0 ? (
              <EmptyState
                icon={Share2}
                title={q === '' ? 'Nothing is remembered yet' : 'Nothing goes by that name'}
                text={
                  q === ''
                    ? 'As soon as documents are stored, who and what they name appears here.'
                    : 'Try another word, or fewer of them.'
                }
              />
            ) : (
              <>
                <DataTable
                  label="What the memory names"
                  rows={nodes}
                  rowKey={({ id }) => id}
                  columns={[
                    { label: 'Name', cell: ({ label }) => label },
                    { label: 'Kind', cell: ({ type }) => type.replaceAll('_', ' ') },
                    { label: 'Weight', cell: ({ weight }) => formatNumber(weight), isAtEnd: true },
                  ]}
                />
                {nodes.length === NODES_MAX && <TooMany shown={NODES_MAX} hint="Search for the others." />}
              </>
            )
          }
        </Reading>
      </Panel>
    </>
  )
}
