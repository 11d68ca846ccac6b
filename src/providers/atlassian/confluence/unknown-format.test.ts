import { afterAll, expect, it } from 'vitest'
import { createConnect } from '../../../../test/support/confluence.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

it('a comment in an unknown format is left out, and the others are read', async () => {
  const { wiki, hr, sync, item } = await connect()
  const page = wiki.state.add(hr)
  const odd = wiki.state.comment(page, { body: '<p>The odd one.</p>' })
  wiki.state.comment(page, { body: '<p>The other one.</p>' })
  wiki.faults.add({ deforms: odd.id })
  expect((await sync.run()).failures).toEqual([])
  expect(item(page)?.body).toContain('The other one.')
  expect(item(page)?.body).not.toContain('The odd one.')
  wiki.faults.clear()
  await sync.run()
  expect(item(page)?.body).toContain('The odd one.')
})

it('lets nobody read a page whose place or restriction has an unknown format', async () => {
  const { wiki, hr, adapter, sync, item } = await connect()
  const { state, faults } = wiki
  const area = state.add(hr, { type: 'folder', restriction: { users: ['ada'], groups: [] } })
  const page = state.add(hr, { parentId: area.id })
  const policyOf = async ({ id }: { id: string }) => {
    const { policies } = await readPermissions(adapter, sync.session, sync.cursor)
    return policies.get(`acme.atlassian.net/${id}`)
  }
  await sync.run()
  expect(item(page)?.metadata.accessPolicy?.groups).toHaveLength(1)
  faults.add({ deforms: page.id })
  expect(await policyOf(page)).toEqual({ visibility: 'restricted' })
  faults.clear()
  expect(await policyOf(page)).toEqual(item(page)?.metadata.accessPolicy)
  faults.add({
    path: `/content/${area.id}/restriction`,
    status: 200,
    body: { restrictions: { user: { results: [7], limit: 100 }, group: { results: [], limit: 100 } } },
  })
  expect(await policyOf(page)).toEqual({ visibility: 'restricted' })
})

it('a space in an unknown format ends the run and removes nothing', async () => {
  const { wiki, hr, sync, item } = await connect()
  const page = wiki.state.add(hr)
  await sync.run()
  wiki.faults.add({ deforms: hr.id })
  await expect(sync.run()).rejects.toThrow('Confluence answered in an unknown format (key)')
  expect(item(page)).toBeDefined()
})

it('one page in an unknown format is refused when it is read individually, and stays', async () => {
  const { wiki, hr, sync, item } = await connect()
  const page = wiki.state.add(hr)
  await sync.run()
  wiki.faults.add({ deforms: page.id })
  await expect(sync.reread(item(page)?.externalId ?? '')).rejects.toMatchObject({ kind: 'rejected' })
  expect(item(page)).toBeDefined()
})
