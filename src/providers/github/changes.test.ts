import { afterAll, describe, expect, it } from 'vitest'
import type { GitHubEmulator } from '../../../emulators/github/index.ts'
import { createConnect } from '../../../test/support/github.ts'
import { createTextExtractor } from '../../file-text/index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

/** The requests since the last call, by path. */
function requestsOf({ requests }: GitHubEmulator): Record<string, number> {
  const byPath = requests.byPath()
  requests.reset()
  return byPath
}

describe('a run without changes', () => {
  it('requests one page of each list, which count against no limit', async () => {
    const { hub, web, sync } = await connect()
    hub.state.open(web)
    hub.state.comment(web, 1, { body: 'Yes.' })
    hub.state.write(web, 'README.md', 'Read me.')
    await sync.run()
    sync.now += 10 * MINUTE
    await sync.run()
    requestsOf(hub)
    hub.notModified.splice(0)
    expect(await sync.run()).toMatchObject({ ingested: [], discovered: 0, complete: true })
    const lists = ['issues', 'issues/comments', 'pulls/comments', 'git/trees/main'].map(
      (path) => `/repos/acme/web/${path}`,
    )
    expect(hub.notModified).toEqual(lists)
    expect(requestsOf(hub)).toEqual(Object.fromEntries([...lists, '/user/repos'].map((path) => [path, 1])))
  })

  it('is noticed as one with changes when a change follows a full page', async () => {
    const { hub, web, sync, item } = await connect({ itemsPerPage: 2 })
    hub.state.open(web, { updatedAt: sync.now - 20_000 })
    hub.state.open(web, { updatedAt: sync.now - 10_000 })
    await sync.run()
    await sync.run()
    await sync.run()
    hub.state.open(web)
    await sync.run()
    expect(item('issues/3')).toBeDefined()
  })
})

describe('changes of issues', () => {
  it('that GitHub shows late, with an earlier time than others, are found', async () => {
    const { hub, web, sync, item } = await connect()
    hub.state.open(web)
    await sync.run()
    sync.now += HOUR
    hub.state.open(web)
    await sync.run()
    hub.state.open(web, { createdAt: sync.now - 30_000, updatedAt: sync.now - 30_000 })
    await sync.run()
    expect(item('issues/3')).toBeDefined()
  })

  it('with one time, as after an import, are all found', async () => {
    const { hub, web, sync } = await connect({ itemsPerPage: 3 })
    for (let count = 0; count < 20; count += 1) hub.state.open(web)
    await sync.run()
    expect(sync.items.size).toBe(20)
  })

  it('that shift the pages while they are read lose no issue', async () => {
    const { hub, web, sync } = await connect({ itemsPerPage: 2 })
    for (let count = 0; count < 9; count += 1) {
      sync.now += HOUR
      hub.state.open(web)
    }
    for (let number = 1; !(await sync.run({ dieAfter: 1 })).complete; number += 1) {
      sync.now += MINUTE
      if (number <= 5) hub.state.change(web, number, { title: 'Changed' })
    }
    expect(sync.items.size).toBe(9)
  })

  it('are read once when the issue and its comment changed', async () => {
    const { hub, web, sync, item } = await connect()
    hub.state.open(web)
    await sync.run()
    sync.now += HOUR
    hub.state.comment(web, 1, { body: 'A new comment.' })
    sync.now += MINUTE
    requestsOf(hub)
    await sync.run()
    expect(item('issues/1')?.body).toContain('A new comment.')
    expect(requestsOf(hub)['/repos/acme/web/issues/1/comments']).toBe(1)
  })

  it('remove those that were deleted, or transferred to a repository that the token does not read', async () => {
    const { hub, web, sync } = await connect()
    const hidden = hub.state.create('acme/hidden')
    hub.access.hidden.add(hidden.id)
    for (let count = 0; count < 3; count += 1) hub.state.open(web)
    await sync.run()
    hub.state.remove(web, 1)
    hub.state.transfer(web, 2, hidden)
    sync.now += HOUR
    const { deleted, failures } = await sync.run()
    expect(failures).toEqual([])
    expect(deleted.map((id) => id.slice(-1)).toSorted()).toEqual(['1', '2'])
    expect(sync.items.size).toBe(1)
  })
})

describe('changes of files', () => {
  it('are read, and others are not', async () => {
    const { hub, web, sync, item } = await connect()
    for (const name of ['a', 'b', 'c']) hub.state.write(web, `docs/${name}.md`, `This is ${name}.`)
    await sync.run()
    hub.state.write(web, 'docs/b.md', 'This is new.')
    hub.state.write(web, 'image.png', 'no text')
    web.files.delete('docs/c.md')
    requestsOf(hub)
    expect(await sync.run()).toMatchObject({ ingested: [item('b.md')?.externalId], discovered: 1 })
    expect(item('c.md')).toBeUndefined()
    expect(Object.keys(requestsOf(hub)).filter((path) => path.includes('/blobs/'))).toHaveLength(1)
  })

  it('are found when the tree that was read last no longer exists', async () => {
    const { hub, web, sync, item } = await connect()
    for (const name of ['a', 'b', 'c']) hub.state.write(web, `${name}.md`, `This is ${name}.`)
    await sync.run()
    hub.state.trees.clear()
    hub.state.write(web, 'b.md', 'This is new.')
    web.files.delete('c.md')
    expect(await sync.run()).toMatchObject({ ingested: [item('b.md')?.externalId], failures: [] })
    expect(item('c.md')).toBeUndefined()
  })

  it('are found in a tree that GitHub cuts', async () => {
    const { hub, web, sync } = await connect({ treeEntriesMax: 4, itemsPerPage: 3 })
    for (const folder of ['', 'a/', 'a/b/', 'c/'])
      for (const name of ['1', '2', '3']) hub.state.write(web, `${folder}${name}.md`, `${folder}${name}`)
    await sync.run()
    expect(sync.items.size).toBe(12)
    hub.state.write(web, 'a/b/2.md', 'changed')
    expect((await sync.run()).ingested).toEqual([expect.stringContaining('/files/a/b/2.md')])
  })

  it('are read whatever a file contains, also the text of a refused query', async () => {
    const { hub, web, sync, item } = await connect()
    hub.state.write(web, 'limit.md', '{"errors":[{"type":"RATE_LIMITED","message":"rate limit"}]}')
    hub.state.write(web, 'broken.md', '{"data": half of it')
    expect(await sync.run()).toMatchObject({ complete: true, failures: [] })
    expect(item('limit.md')?.body).toContain('RATE_LIMITED')
    expect(item('broken.md')?.body).toContain('half of it')
    expect(sync.waitedMs).toBe(0)
  })

  it('are skipped if Git LFS has their text', async () => {
    const { hub, web, sync } = await connect()
    const oid = 'a'.repeat(64)
    hub.state.write(
      web,
      'large.md',
      `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 9\n`,
    )
    const { skipped } = await sync.run()
    expect(skipped).toMatchObject([{ message: 'The file is stored with Git LFS and is not read' }])
    expect(sync.items.size).toBe(0)
  })

  it('give all of them new links when another branch becomes the default one', async () => {
    const { hub, web, sync, item } = await connect()
    hub.state.write(web, 'README.md', 'Read me.')
    await sync.run()
    web.branch = 'trunk'
    await sync.run()
    expect(item('README.md')?.url).toMatch(/\/blob\/trunk\/README\.md$/)
    expect(await sync.run()).toMatchObject({ ingested: [], discovered: 0 })
  })

  it('remove all of them when the repository becomes empty', async () => {
    const { hub, web, sync } = await connect()
    hub.state.write(web, 'README.md', 'Read me.')
    await sync.run()
    web.files.clear()
    await sync.run()
    expect(sync.items.size).toBe(0)
  })
})

describe('repositories', () => {
  it('that are new, gone or renamed change their items', async () => {
    const { hub, web, sync, item } = await connect()
    hub.state.open(web, { title: 'Old' })
    hub.state.write(web, 'README.md', 'Read me.')
    await sync.run()
    const wiki = hub.state.create('acme/wiki')
    hub.state.open(wiki, { title: 'New' })
    hub.state.rename(web, 'acme/site')
    await sync.run()
    expect(sync.items.size).toBe(3)
    expect(item(`${web.id}/issues/1`)?.url).toBe('https://github.example/acme/site/issues/1')
    expect(item('README.md')?.url).toContain('/acme/site/')
    hub.access.hidden.add(web.id)
    await sync.run()
    expect([...sync.items.values()].map(({ title }) => title)).toEqual(['New'])
  })

  it('keep the item that a single read cannot reach, because no later run would read it again', async () => {
    const { hub, web, sync, item } = await connect()
    hub.state.open(web)
    sync.now += HOUR
    hub.state.open(web)
    await sync.run()
    hub.access.hidden.add(web.id)
    await expect(sync.reread(item('issues/1')?.externalId ?? '')).rejects.toMatchObject({ kind: 'rejected' })
    hub.access.hidden.delete(web.id)
    await sync.run()
    expect(item('issues/1')).toBeDefined()
  })

  it('that are chosen later are read, and the items of others removed', async () => {
    const { hub, web, sync, item } = await connect({ repositories: 'acme/web' })
    const wiki = hub.state.create('acme/wiki')
    for (const repository of [web, wiki]) hub.state.open(repository)
    hub.state.write(wiki, 'README.md', 'Read me.')
    sync.now += 48 * HOUR
    await sync.run()
    sync.session.extra['repositories'] = ['acme/wiki']
    await sync.run()
    expect(sync.items.size).toBe(2)
    expect(item(`${wiki.id}/issues/1`)).toBeDefined()
  })

  it('that are named are found under their new name', async () => {
    const { hub, web, sync, item } = await connect({ repositories: 'acme/web' })
    hub.state.open(web)
    await sync.run()
    hub.state.rename(web, 'acme/site')
    await sync.run()
    expect(item('issues/1')?.url).toBe('https://github.example/acme/site/issues/1')
  })

  it('that a single sign-on hides end the run, and nothing is deleted', async () => {
    const { hub, web, sync } = await connect()
    hub.state.open(web)
    await sync.run()
    hub.access.sso = 'acme'
    await expect(sync.run()).rejects.toMatchObject({ kind: 'rejected', message: /single sign-on/ })
    expect(sync.items.size).toBe(1)
  })

  it('are read without the parts that the token may not read', async () => {
    const { hub, web, sync, item } = await connect()
    hub.access.rights.delete('contents')
    hub.access.rights.delete('pull_requests')
    const pull = { mergedAt: null, reviews: [], comments: [] }
    hub.state.open(web, { title: 'A pull request', pull })
    hub.state.write(web, 'README.md', 'Read me.')
    const { skipped, failures } = await sync.run()
    expect(failures).toEqual([])
    expect(skipped).toMatchObject([
      { message: 'acme/web, files: Resource not accessible by personal access token' },
    ])
    expect(item('issues/1')).toBeDefined()
    hub.access.rights.add('contents')
    await sync.run()
    expect(item('README.md')).toBeDefined()
    hub.access.rights.delete('contents')
    await sync.run()
    expect(item('README.md')).toBeDefined()
  })

  it('are read from their beginning once the token may read a part', async () => {
    const { hub, web, sync, item } = await connect()
    hub.access.rights.delete('issues')
    hub.state.open(web, { title: 'Old' })
    sync.now += HOUR
    expect((await sync.run()).skipped).toHaveLength(1)
    sync.now += HOUR
    hub.access.rights.add('issues')
    await sync.run()
    expect(item('issues/1')?.title).toBe('Old')
  })

  it('keep the items of a part that the token may no longer read until a full resync', async () => {
    const { hub, web, sync } = await connect()
    hub.state.open(web)
    await sync.run()
    hub.access.rights.delete('issues')
    await sync.run()
    expect(sync.items.size).toBe(1)
    sync.now += HOUR
    await sync.run({ fullResync: true })
    expect(sync.items.size).toBe(0)
    sync.now += HOUR
    hub.access.rights.add('issues')
    await sync.run()
    expect(sync.items.size).toBe(1)
  })
})

describe('rate limits', () => {
  it('of an hour end a run that would wait for long, and the next one resumes', async () => {
    const { hub, web, sync } = await connect({ hourly: 12, itemsPerPage: 2 })
    for (let count = 0; count < 9; count += 1) {
      sync.now += 1_000
      hub.state.open(web)
      hub.state.comment(web, count + 1, { body: 'Yes.' })
    }
    let ends = 0
    for (; ends < 9; ends += 1) {
      const run = sync.run()
      const failure = await run.then(
        () => null,
        (error: unknown) => error,
      )
      if (failure === null) break
      expect(failure).toMatchObject({ kind: 'rate_limited' })
      expect(Object(failure).retryAfterMs).toBeGreaterThan(50 * MINUTE)
      sync.now += HOUR
    }
    expect(ends).toBeGreaterThan(0)
    expect(ends).toBeLessThan(9)
    expect(sync.items.size).toBe(9)
  })

  it('that end soon are waited for, until the time that GitHub names', async () => {
    const { hub, web, sync } = await connect({ hourly: 12 })
    sync.now += 55 * MINUTE
    for (let count = 0; count < 9; count += 1) {
      hub.state.open(web)
      hub.state.comment(web, count + 1, { body: 'Yes.' })
    }
    // Some are used already.
    sync.now = Date.UTC(2026, 0, 1) + 55 * MINUTE
    await sync.run()
    expect(sync.items.size).toBe(9)
    expect(sync.waitedMs).toBeGreaterThan(4 * MINUTE)
    expect(sync.waitedMs).toBeLessThan(7 * MINUTE)
  })

  it('of a minute are waited for', async () => {
    const { hub, web, sync } = await connect({ perMinute: 8 })
    for (let count = 0; count < 9; count += 1) {
      hub.state.open(web)
      hub.state.comment(web, count + 1, { body: 'Yes.' })
    }
    expect((await sync.run()).failures).toEqual([])
    expect(sync.items.size).toBe(9)
    expect(sync.waitedMs).toBeGreaterThanOrEqual(MINUTE / 2)
  })

  it('without a time are waited for a minute', async () => {
    const { hub, web, sync } = await connect()
    hub.state.open(web)
    hub.faults.add({ times: 1, status: 403, body: { message: 'You have exceeded a secondary rate limit.' } })
    await sync.run()
    expect(sync.waitedMs).toBeGreaterThanOrEqual(MINUTE)
  })
})

it('never sends the token to the address of a next page that is elsewhere', async () => {
  const { hub, web, sync } = await connect({ itemsPerPage: 1 })
  hub.state.open(web)
  hub.state.open(web)
  const link = `<${hub.url.replace('127.0.0.1', 'localhost')}/steal>; rel="next"`
  const issue = {
    repository_url: `${hub.url}/repos/acme/web`,
    html_url: 'https://github.example/x',
    labels: [],
  }
  const time = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
  const body = [{ ...issue, ...time, number: 1, title: 'x', state: 'open', comments: 0 }]
  hub.faults.add({ path: '/web/issues', status: 200, headers: { link }, body, times: 2 })
  await sync.run()
  expect(hub.requests.byPath()).not.toHaveProperty('/steal')
})
