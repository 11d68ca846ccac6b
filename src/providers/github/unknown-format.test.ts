import { afterAll, expect, it } from 'vitest'
import { createConnect } from '../../../test/support/github.ts'
import { createTextExtractor } from '../../file-text/index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

it('a comment in an unknown format is left out, and the others are read', async () => {
  const { hub, web, sync, item } = await connect()
  const { number } = hub.state.open(web, { body: 'It fails.' })
  const odd = hub.state.comment(web, number, { body: 'The odd one.' })
  hub.state.comment(web, number, { body: 'The other one.' })
  hub.faults.add({ deforms: String(odd.id) })
  expect((await sync.run()).failures).toEqual([])
  expect(item(`issues/${number}`)?.body).toContain('The other one.')
  expect(item(`issues/${number}`)?.body).not.toContain('The odd one.')
})

it('a repository in an unknown format ends the run and removes nothing', async () => {
  const { hub, web, sync, item } = await connect()
  const { number } = hub.state.open(web)
  await sync.run()
  hub.faults.add({ deforms: String(web.id) })
  await expect(sync.run()).rejects.toThrow('GitHub answered in an unknown format')
  expect(item(`issues/${number}`)).toBeDefined()
})

it('one issue in an unknown format is refused when it is read individually, and stays', async () => {
  const { hub, web, sync, item } = await connect()
  const { number } = hub.state.open(web)
  await sync.run()
  hub.faults.add({ path: `/issues/${number}`, deforms: String(number) })
  const id = item(`issues/${number}`)?.externalId ?? ''
  await expect(sync.reread(id)).rejects.toMatchObject({ kind: 'rejected' })
  expect(item(`issues/${number}`)).toBeDefined()
})
