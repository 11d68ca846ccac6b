import { expect, it } from 'vitest'
import { z } from 'zod'
import { createPositionFeed, NOTHING } from './position-feed.ts'

it('a saved position of another version requires a full resync, during a crawl too', async () => {
  const feed = createPositionFeed({
    schema: z.object({ folders: z.array(z.string()) }),
    empty: () => ({ folders: [] }),
    match: () => {},
    partsIn: () => ({}),
    isCrawled: () => true,
    crawl: async () => NOTHING,
    changes: async () => NOTHING,
    survey: async () => undefined,
    isSurveyed: () => true,
    read: async () => null,
  })
  await expect(feed.list({ former: 1 }, null)).rejects.toMatchObject({ kind: 'cursor_expired' })
  await expect(feed.changes({ former: 1 })).rejects.toMatchObject({ kind: 'cursor_expired' })
})
