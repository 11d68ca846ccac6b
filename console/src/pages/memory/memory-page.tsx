import { Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Share2 } from 'lucide-react'
import { lazy, Suspense, useMemo } from 'react'
import { pageFile } from '../../data/page-file.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ChangesView } from './changes-view.tsx'
import { Legend } from './legend.tsx'
import { MemoryFilters } from './memory-filters.tsx'
import classes from './memory-page.module.css'
import { type MemorySearch, readMemorySearch } from './memory-search.ts'
import { MemoryTable } from './memory-table.tsx'
import { NodePanel } from './node-panel.tsx'
import { useRelated } from './use-entity.ts'
import { rowsOf } from './rows.ts'
import { type Canvas, type ShownCanvas, useCanvas } from './use-canvas.ts'

const GraphView = lazy(pageFile(async () => ({ default: (await import('./graph-view.tsx')).GraphView })))

/** The names in the stored items, as a graph or a table. The URL has the whole view. */
export function MemoryPage() {
  // The router passes on what the reader omits.
  const search = readMemorySearch({ ...useSearch({ from: '/memory' }) })
  const navigate = useNavigate({ from: '/memory' })
  const canvas = useCanvas(search)
  const related = useRelated(search.node)
  const drawn = useMemo(
    () =>
      search.view !== undefined || canvas.data === undefined
        ? null
        : new Set(canvas.data.nodes.map(({ id }) => id)),
    [search.view, canvas.data],
  )
  const go = (next: MemorySearch, replace = false): void =>
    void navigate({ search: next, replace, resetScroll: false })
  return (
    <>
      <PageHeader title="Memory" text="The names in your stored items, and what links them." />
      <MemoryFilters search={search} onChange={go} />
      <div className={classes.beside} data-open={search.node !== undefined}>
        {search.node !== undefined && (
          <NodePanel key={search.node} id={search.node} drawn={drawn} search={search} onChange={go} />
        )}
        <Panel isFlush>
          {search.view === 'changes' ? (
            <ChangesView search={search} />
          ) : (
            <Reading query={canvas}>
              {(data) => <CanvasView canvas={data} search={search} related={related} onChange={go} />}
            </Reading>
          )}
        </Panel>
      </div>
    </>
  )
}

function CanvasView({
  canvas,
  search,
  related,
  onChange,
}: {
  canvas: ShownCanvas
  search: MemorySearch
  /** The neighbors that the panel lists for the open name. */
  related: ReadonlySet<string>
  onChange: (search: MemorySearch, replace?: boolean) => void
}) {
  const { nodes, edges } = canvas
  const rows = useMemo(() => rowsOf(nodes, edges), [nodes, edges])
  const { node: _, around: _around, ...closed } = search
  const choose = (id: string | null): void => onChange(id === null ? closed : { ...search, node: id })
  if (nodes.length === 0)
    return <Nothing isFiltered={asksForAPart(search)} onUnfiltered={() => onChange({})} />
  const table = <MemoryTable rows={rows} search={search} onChange={onChange} onChoose={choose} />
  return (
    <>
      <div className={classes.above}>
        <Legend nodes={nodes} />
        <Completeness canvas={canvas} />
      </div>
      {search.view === 'table' ? (
        table
      ) : (
        <>
          <Suspense
            fallback={<div className={classes.stage} role="status" aria-busy="true" aria-label="Loading" />}
          >
            <GraphView nodes={nodes} edges={edges} chosen={search.node} related={related} onChoose={choose} />
          </Suspense>
          {/* Replaces the graph for screen readers. It is visible only while it has the focus. */}
          <div className={classes.unseen}>{table}</div>
        </>
      )}
      {canvas.isFull && (
        <Text c="dimmed" size="sm" p="md">
          The {formatNumber(nodes.length)} most frequent names. The table has up to 500.
        </Text>
      )}
    </>
  )
}

/** Says how many items are not in the graph yet, because they wait to be processed. */
function Completeness({ canvas: { complete, itemsWaiting } }: { canvas: Canvas }) {
  if (complete) return null
  return (
    <p className={classes.waiting} role="status">
      Not complete yet: {count(itemsWaiting, 'item waits', 'items wait')} to be read.
    </p>
  )
}

function Nothing({ isFiltered, onUnfiltered }: { isFiltered: boolean; onUnfiltered: () => void }) {
  const { isAdmin } = useWorkspace()
  return isFiltered ? (
    <EmptyState
      icon={Share2}
      title="No results"
      text="Try another word, or fewer filters."
      action={
        <button type="button" className={classes.textButton} onClick={onUnfiltered}>
          Show the whole memory
        </button>
      }
    />
  ) : (
    <EmptyState
      icon={Share2}
      title="No names yet"
      text="Names appear here when documents are stored."
      action={isAdmin && <ButtonLink to="/sources/new">Add a source</ButtonLink>}
    />
  )
}

function asksForAPart({ q, type, provider, since, around }: MemorySearch): boolean {
  return [q, type, provider, since, around].some((given) => given !== undefined)
}
