import { afterAll, expect, it } from 'vitest'
import { createConnect } from '../../../test/support/github.ts'
import { createTextExtractor } from '../../file-text/index.ts'

const MINUTE = 60_000
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

it.each([1, 2, 3])(
  'finds all issues of one time when one of them changes after %i pages of a run',
  async (dieAfter) => {
    const { hub, web, sync, item } = await connect({ itemsPerPage: 2 })
    await sync.run()
    sync.now += 10 * MINUTE
    for (let count = 0; count < 5; count += 1) hub.state.open(web)
    await sync.run({ dieAfter })
    sync.now += 10 * MINUTE
    hub.state.change(web, 1, { state: 'closed' })
    await sync.run()
    expect([1, 2, 3, 4, 5].filter((number) => item(`issues/${number}`) === undefined)).toEqual([])
  },
)

it('reads everything of a repository again that comes back while it is being removed', async () => {
  const { hub, web, sync, item } = await connect()
  hub.state.open(web)
  hub.state.write(web, 'README.md', 'Read me.')
  await sync.run()
  hub.access.hidden.add(web.id)
  await sync.run({ dieAfter: 1 })
  expect(item('files/README.md')).toBeUndefined()
  hub.access.hidden.clear()
  await sync.run()
  expect(item('issues/1')).toBeDefined()
  expect(item('files/README.md')).toBeDefined()
})

it('ends a full crawl whose repository is hidden in the middle, and then deletes its items', async () => {
  const { hub, web, sync } = await connect({ itemsPerPage: 2 })
  for (let count = 0; count < 5; count += 1) hub.state.open(web)
  await sync.run()
  expect(sync.items.size).toBe(5)
  await sync.run({ fullResync: true, dieAfter: 1 })
  hub.access.hidden.add(web.id)
  await sync.run()
  await sync.run()
  expect(sync.items.size).toBe(0)
})
