import { useState } from 'react'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useReadPages } from '../../data/use-api.ts'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Reading } from '../../ui/reading.tsx'
import classes from './item-chunks.module.css'

/** An item's chunks as searches find them. They load when the user expands them. */
export function ItemChunks({ itemId }: { itemId: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={classes.chunks} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Chunks</summary>
      {isOpen && <Chunks itemId={itemId} />}
    </details>
  )
}

type Chunk = Schemas['ItemChunk']

function Chunks({ itemId }: { itemId: string }) {
  const pages = useReadPages<Chunk>(['source-items', itemId, 'chunks'], async (api, { cursor }, signal) => {
    const params = {
      path: { id: itemId },
      query: cursor === undefined ? {} : { after: Number(cursor) },
    }
    const page = await unwrap(api.GET('/v1/console/items/{id}/chunks', { params, signal }))
    const { chunks, total, nextAfter } = page
    return { rows: chunks, nextCursor: nextAfter === null ? null : String(nextAfter), total }
  })
  return (
    <Reading query={pages}>
      {({ pages: [first] }) => (
        <>
          <ol className={classes.list} aria-label="Chunks">
            {pages.rows.map(({ position, heading, content }) => (
              <li key={position}>
                <div className={classes.place}>
                  {formatNumber(position + 1)} of {formatNumber(first?.total ?? pages.rows.length)}
                  {heading !== null && ` · ${heading}`}
                </div>
                <p className={classes.text}>{content}</p>
              </li>
            ))}
          </ol>
          <EndOfList pages={pages} isAsked />
        </>
      )}
    </Reading>
  )
}
