import { Button } from '@mantine/core'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useWorkspace } from '../../session/workspace.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { ItemTitle, TextLink } from '../../ui/links.tsx'
import { Origin } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { type ListedItem, useItems } from '../sources/use-items.ts'
import { type Burst, burstsOf } from './changes.ts'
import classes from './changes-view.module.css'
import { dayOf, type MemorySearch } from './memory-search.ts'

/** Titles per burst to show at first. */
const SHOWN = 5

/** The last changed items by day and provider. */
export function ChangesView({ search: { q, provider, since } }: { search: MemorySearch }) {
  const items = useItems({
    ...(q === undefined ? {} : { q }),
    ...(provider === undefined ? {} : { provider }),
    ...(since === undefined ? {} : { from: dayOf(since) }),
  })
  const bursts = burstsOf(items.rows)
  const lastDay = bursts.at(-1)?.day.getTime()
  return (
    <Reading query={items}>
      {() =>
        bursts.length === 0 && !items.hasNextPage ? (
          <EmptyState
            icon={History}
            title="No changes"
            text="Items appear here when they are stored or change."
          />
        ) : (
          <>
            <ol className={classes.bursts} aria-label="What changed">
              {bursts.map((burst, at) => (
                <li key={burst.key}>
                  {bursts[at - 1]?.day.getTime() !== burst.day.getTime() && (
                    <h2 className={classes.day}>{formatDate(burst.day.toISOString())}</h2>
                  )}
                  <BurstOfItems
                    burst={burst}
                    hasMore={items.hasNextPage && burst.day.getTime() === lastDay}
                  />
                </li>
              ))}
            </ol>
            {/* A page can fit into a burst that shows five titles: the end stays in view, and would load all items. */}
            <EndOfList pages={items} isAsked />
          </>
        )
      }
    </Reading>
  )
}

/** `hasMore`: items of this day are still to be loaded. */
function BurstOfItems({ burst: { items }, hasMore }: { burst: Burst; hasMore: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const [first] = items
  const more = isOpen ? 0 : items.length - SHOWN
  return (
    <section className={classes.burst}>
      <div className={classes.origin}>
        {first && <Origin item={first} />}
        <span className={classes.count}>
          {hasMore ? `${formatNumber(items.length)}+ items` : count(items.length, 'item')}
        </span>
      </div>
      <ul className={classes.items}>
        {items.slice(0, isOpen ? undefined : SHOWN).map((item) => (
          <li key={item.id}>
            <Title item={item} />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Button size="compact-sm" variant="subtle" onClick={() => setIsOpen(true)}>
          Show {more} more
        </Button>
      )}
    </section>
  )
}

function Title({ item }: { item: ListedItem }) {
  const { isAdmin } = useWorkspace()
  return isAdmin ? (
    <TextLink to="/sources/items" search={{ item: item.id }}>
      {item.title}
    </TextLink>
  ) : (
    <ItemTitle {...item} />
  )
}
