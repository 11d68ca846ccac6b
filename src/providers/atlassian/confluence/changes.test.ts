import { afterAll, describe, expect, it } from 'vitest'
import { type ConfluenceAccount, createConnect } from '../../../../test/support/confluence.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const MINUTE = 60_000
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

/** The requests since the last call, by path below `/wiki`. */
function requestsOf({ wiki }: Pick<ConfluenceAccount, 'wiki'>): Record<string, number> {
  const paths = Object.entries(wiki.requests.byPath()).map(([path, count]): [string, number] => [
    path.replace('/wiki/', ''),
    count,
  ])
  wiki.requests.reset()
  return Object.fromEntries(paths)
}

describe('a run', () => {
  it('without changes makes a request for each list, and none for a page', async () => {
    const account = await connect()
    const { wiki, hr, sync } = account
    const parent = wiki.state.add(hr)
    wiki.state.comment(wiki.state.add(hr, { parentId: parent.id }))
    await sync.run()
    requestsOf(account)
    expect(await sync.run()).toMatchObject({ ingested: [], discovered: 0, complete: true })
    expect(requestsOf(account)).toEqual({
      'rest/api/user/current': 1,
      'api/v2/spaces': 1,
      [`api/v2/spaces/${hr.id}/pages`]: 1,
      [`api/v2/spaces/${hr.id}/blogposts`]: 1,
      'rest/api/content/search': 1,
    })
  })

  it('reads only what changed, though many pages have one time', async () => {
    const account = await connect({ itemsPerPage: 3, searchedMax: 4 })
    const { wiki, hr, sync } = account
    const pages = Array.from({ length: 10 }, () => wiki.state.add(hr))
    await sync.run()
    const [first, , third] = pages
    if (first === undefined || third === undefined) throw new Error('there are no pages')
    wiki.state.edit(first, { body: '<p>New.</p>' })
    wiki.state.comment(third)
    requestsOf(account)
    expect((await sync.run()).ingested).toHaveLength(2)
    const read = Object.keys(requestsOf(account)).filter((path) => /v2\/pages\/\d+$/.test(path))
    expect(read).toEqual([`api/v2/pages/${first.id}`, `api/v2/pages/${third.id}`])
  })

  it('reads the spaces that are chosen later, and removes the others', async () => {
    const { wiki, hr, sync } = await connect({ spaces: 'HR' })
    wiki.state.add(hr)
    const page = wiki.state.add(wiki.state.createSpace('ENG'))
    await sync.run()
    sync.session.extra['spaces'] = ['ENG']
    await sync.run()
    expect([...sync.items.keys()]).toEqual([`acme.atlassian.net/${page.id}`])
  })

  it('finds labels that are added and removed, which change no version', async () => {
    const { wiki, hr, sync, item } = await connect()
    const page = wiki.state.add(hr, { labels: ['draft'] })
    await sync.run()
    page.labels = ['reviewed', 'policy']
    expect((await sync.run()).ingested).toHaveLength(1)
    expect(item(page)?.metadata.labels).toEqual(['reviewed', 'policy'])
    // The order is not a change.
    page.labels = ['policy', 'reviewed']
    expect((await sync.run()).ingested).toHaveLength(0)
    page.labels = []
    await sync.run()
    expect(item(page)?.metadata.labels).toBeUndefined()
  })

  it('reads everything below a page that moved or has another title', async () => {
    const { wiki, hr, sync, item } = await connect()
    const { state } = wiki
    const eng = state.createSpace('ENG')
    const parent = state.add(hr, { title: 'Old' })
    const page = state.add(hr, { parentId: parent.id })
    await sync.run()
    state.edit(parent, { title: 'New' })
    await sync.run()
    expect(item(page)?.metadata.folder).toBe('The HR space / New')
    state.move(parent, { space: eng })
    await sync.run()
    expect(item(page)?.metadata).toMatchObject({ spaceKey: 'ENG', folder: 'The ENG space / New' })
  })
})

describe('comments', () => {
  it('that are new, edited or deleted change their page', async () => {
    const { wiki, hr, sync, item } = await connect()
    const { state } = wiki
    const page = state.add(hr)
    const comment = state.comment(page, { body: '<p>First.</p>' })
    await sync.run()
    expect(item(page)?.body).toContain('First.')
    state.editComment(comment, '<p>Second.</p>')
    const reply = state.comment(page, { parentId: comment.id, body: '<p>Third.</p>' })
    await sync.run()
    expect(item(page)?.body).toMatch(/Second\.[^]*Third\./)
    state.removeComment(reply)
    await sync.run()
    expect(item(page)?.body).not.toContain('Third.')
  })

  it('that the search index has late are found once it has them', async () => {
    const { wiki, hr, sync, item } = await connect()
    const page = wiki.state.add(hr)
    await sync.run()
    const { id } = wiki.state.comment(page, { body: '<p>Late.</p>' })
    wiki.unindexed.add(id)
    await sync.run()
    wiki.unindexed.clear()
    await sync.run()
    expect(item(page)?.body).toContain('Late.')
  })

  it('that are written during a run and deleted after it do not stay', async () => {
    let meanwhile = (): void => {}
    const { wiki, hr, sync, item } = await connect({ itemsPerPage: 1, meanwhile: () => meanwhile() })
    const { state } = wiki
    wiki.state.add(hr)
    const page = state.add(hr)
    state.comment(page, { body: '<p>Stays.</p>' })
    let late: ReturnType<typeof state.comment> | undefined
    meanwhile = () => (late ??= state.comment(page, { body: '<p>Goes.</p>' }))
    await sync.run()
    expect(item(page)?.body).toContain('Goes.')
    if (late !== undefined) state.removeComment(late)
    await sync.run()
    expect(item(page)?.body).toContain('Stays.')
    expect(item(page)?.body).not.toContain('Goes.')
  })
})

describe('pages', () => {
  it('that come back as they were are stored again', async () => {
    const { wiki, hr, sync, item } = await connect()
    const page = wiki.state.add(hr)
    await sync.run()
    wiki.state.trash(page)
    await sync.reread(`acme.atlassian.net/${page.id}`)
    expect(item(page)).toBeUndefined()
    wiki.state.restore(page)
    await sync.run()
    expect(item(page)).toBeDefined()
  })

  it('of a space that is deleted or no longer readable are removed', async () => {
    const { wiki, hr, sync } = await connect()
    const { state } = wiki
    const eng = state.createSpace('ENG')
    const kept = state.createSpace('OPS')
    for (const space of [hr, eng, kept]) state.add(space, { title: space.key })
    await sync.run()
    state.removeSpace(eng)
    hr.readers = [{ type: 'user', id: 'bob' }]
    await sync.run()
    expect([...sync.items.values()].map(({ title }) => title)).toEqual(['OPS'])
  })

  it('that are archived are removed, and those below them stay as they are restricted', async () => {
    const { wiki, hr, sync, item } = await connect()
    const parent = wiki.state.add(hr, { title: 'Old', restriction: { users: ['ada'], groups: [] } })
    const page = wiki.state.add(hr, { parentId: parent.id })
    await sync.run()
    wiki.state.archive(parent)
    await sync.run()
    expect(item(parent)).toBeUndefined()
    expect(item(page)?.metadata).toMatchObject({
      folder: 'The HR space / Old',
      accessPolicy: { groups: [`confluence-content-${parent.id}`] },
    })
  })

  it('that no list has, although they exist, are not removed', async () => {
    const { wiki, hr, sync, item } = await connect()
    const page = wiki.state.add(hr)
    await sync.run()
    wiki.faults.add({
      path: `/spaces/${hr.id}/pages`,
      times: 1,
      status: 200,
      body: { results: [], _links: {} },
    })
    expect((await sync.run()).deleted).toEqual([])
    expect(item(page)).toBeDefined()
  })

  it('are read once a failure is over, however long it lasts', async () => {
    const { wiki, hr, sync, item } = await connect({ limits: { maxAttempts: 1 } })
    const page = wiki.state.add(hr)
    wiki.state.add(hr)
    await sync.run()
    wiki.state.edit(page, { body: '<p>New.</p>' })
    wiki.faults.add({ path: `/pages/${page.id}`, status: 500 })
    for (let runs = 0; runs < 8; runs += 1) expect((await sync.run()).failures).toHaveLength(1)
    wiki.faults.clear()
    await sync.run()
    expect(item(page)?.body).toBe('New.')
    expect(await sync.run()).toMatchObject({ discovered: 0 })
  })
})

it('removes nothing if a rejected token gets the response of an anonymous request', async () => {
  const { wiki, hr, sync, adapter } = await connect()
  wiki.state.add(hr)
  await sync.run()
  wiki.login.isAnonymous = true
  wiki.grants.revokeAll()
  await expect(sync.run()).rejects.toMatchObject({ kind: 'auth' })
  const poll = adapter.listPermissions?.(sync.session, { cursor: sync.cursor, groupIds: new Set() })
  await expect(poll?.next()).rejects.toMatchObject({ kind: 'auth' })
  expect(sync.items.size).toBe(1)
})

it('waits as long as Confluence asks when there are too many requests', async () => {
  const { wiki, hr, sync } = await connect({ perMinute: 10 })
  for (let count = 0; count < 20; count += 1) wiki.state.add(hr)
  expect((await sync.run()).failures).toEqual([])
  expect(sync.items.size).toBe(20)
  expect(sync.waitedMs).toBeGreaterThanOrEqual(MINUTE / 2)
})

it('never sends the token to the address of a next page that is elsewhere', async () => {
  const { wiki, hr, sync } = await connect()
  wiki.state.add(hr)
  for (const next of [
    `${wiki.url.replace('127.0.0.1', 'localhost')}/wiki/steal`,
    '/wiki/../steal',
    '//localhost/wiki/steal',
  ]) {
    wiki.faults.clear()
    wiki.faults.add({ path: '/pages', status: 200, body: { results: [], _links: { next } } })
    await sync.run().catch(() => {})
  }
  for (const path of ['/steal', '/wiki/steal']) expect(wiki.requests.byPath()).not.toHaveProperty(path)
})
