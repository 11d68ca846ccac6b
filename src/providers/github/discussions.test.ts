import { afterAll, describe, expect, it } from 'vitest'
import { createConnect, type GitHubAccount } from '../../../test/support/github.ts'
import { DEFAULT_SETTINGS } from '../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../file-text/index.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)
const titles = ({ sync }: GitHubAccount) => [...sync.items.values()].map(({ title }) => title).toSorted()
const queries = ({ hub }: GitHubAccount): number => hub.requests.byPath()['/graphql'] ?? 0

it('are a discussion with its comments and replies, and which of them is the answer', async () => {
  const { hub, web, sync, item } = await connect()
  sync.now = Date.UTC(2026, 1, 3, 9, 30)
  const discussion = hub.state.discuss(web, {
    title: 'How do I deploy?',
    body: 'With **one** command?<!-- hint -->\n\n## Comment by ceo, 2026-01-01 10:00 UTC',
    category: 'Q&A',
    labels: ['ops'],
    isClosed: true,
  })
  sync.now += MINUTE
  const comment = hub.state.answer(discussion, { body: 'Run make deploy.', isAnswer: true })
  sync.now += MINUTE
  hub.state.answer(discussion, { body: 'Thanks.', user: null }, comment)
  await sync.run()
  const url = `https://github.example/acme/web/discussions/${discussion.number}`
  expect(item(`discussions/${discussion.number}`)).toEqual({
    externalId: expect.stringMatching(/^127\.0\.0\.1:\d+\/\d+\/discussions\/1$/),
    sourceKind: 'document',
    title: 'How do I deploy?',
    body: [
      'acme/web discussion #1 in Q&A, closed. Labels: ops.',
      'With **one** command?',
      '\\## Comment by ceo, 2026-01-01 10:00 UTC',
      '## Comment, marked as the answer, by bob, 2026-02-03 09:31 UTC',
      'Run make deploy.',
      '## Reply by ghost, 2026-02-03 09:32 UTC',
      'Thanks.',
    ].join('\n\n'),
    url,
    authorName: 'ada',
    sourceCreatedAt: new Date('2026-02-03T09:30:00Z'),
    sourceUpdatedAt: new Date('2026-02-03T09:32:00Z'),
    metadata: {
      workspace: 'acme',
      repository: 'acme/web',
      objectType: 'discussion',
      number: 1,
      state: 'closed',
      category: 'Q&A',
      labels: ['ops'],
      sender: 'ada',
      folder: 'acme / web',
      permalink: url,
    },
  })
})

it('of a long thread are read whole', async () => {
  const { hub, web, sync, item } = await connect()
  const discussion = hub.state.discuss(web)
  for (let count = 0; count < 120; count += 1) hub.state.answer(discussion, { body: `Number ${count}.` })
  await sync.run()
  const { body = '' } = item('discussions/1') ?? {}
  for (let count = 0; count < 120; count += 1) expect(body).toContain(`Number ${count}.`)
})

describe('a run', () => {
  it('makes no query for a repository without discussions, and one and the last changed for others', async () => {
    const account = await connect()
    const { hub, web, sync } = account
    hub.state.open(web)
    await sync.run()
    await sync.run()
    expect(queries(account)).toBe(0)
    for (let count = 0; count < 5; count += 1) {
      sync.now += HOUR
      hub.state.discuss(web, { title: `Talk ${count}` })
    }
    await sync.run()
    hub.requests.reset()
    expect(await sync.run()).toMatchObject({ ingested: [], deleted: [] })
    expect(queries(account)).toBe(2)
  })

  it('finds new comments, changes, deletions and discussions that are turned off', async () => {
    const account = await connect({ itemsPerPage: 2 })
    const { hub, web, sync, item } = account
    const [first, second, third] = ['One', 'Two', 'Three'].map((title) => {
      sync.now += HOUR
      return hub.state.discuss(web, { title })
    })
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are none')
    await sync.run()
    expect(titles(account)).toEqual(['One', 'Three', 'Two'])
    sync.now += HOUR
    hub.state.answer(first, { body: 'New words.' })
    hub.state.changeDiscussion(second, { title: 'Second' })
    web.discussions.delete(third.number)
    sync.now += 2 * HOUR
    await sync.run()
    expect(titles(account)).toEqual(['One', 'Second'])
    expect(item(`discussions/${first.number}`)?.body).toContain('New words.')
    web.hasDiscussions = false
    await sync.run()
    expect(titles(account)).toEqual([])
    web.hasDiscussions = true
    await sync.run()
    expect(titles(account)).toEqual(['One', 'Second'])
  })

  it('whose token may not read them skips them, and reads the rest', async () => {
    const account = await connect()
    const { hub, web, sync } = account
    hub.state.discuss(web)
    hub.state.open(web, { title: 'Issue' })
    hub.access.rights.delete('discussions')
    const report = await sync.run()
    expect(titles(account)).toEqual(['Issue'])
    expect(report.skipped).toMatchObject([
      { message: 'acme/web, discussions: Resource not accessible by personal access token' },
    ])
    hub.access.rights.add('discussions')
    await sync.run()
    expect(titles(account)).toEqual(['A discussion', 'Issue'])
  })

  it('waits for the end of the hourly limit, which GraphQL reports with status 200', async () => {
    const { hub, web, sync } = await connect({ hourly: 12 })
    for (let count = 0; count < 10; count += 1) hub.state.discuss(web)
    const limits = { maxRateLimitWaitMs: 2 * HOUR }
    Object.assign(sync.session.limits, limits)
    expect((await sync.run()).failures).toEqual([])
    expect(sync.items.size).toBe(10)
    expect(sync.waitedMs).toBeGreaterThan(MINUTE)
  })

  it('is over when GitHub fails without a type, and removes nothing', async () => {
    const { hub, web, sync } = await connect({ limits: { maxAttempts: 1 } })
    hub.state.discuss(web)
    await sync.run()
    const body = { data: null, errors: [{ message: 'Something went wrong while executing your query.' }] }
    hub.faults.add({ path: '/graphql', status: 200, body })
    await expect(sync.run()).rejects.toMatchObject({ kind: 'unavailable' })
    expect(sync.items.size).toBe(1)
  })
})

it('continue from a cursor of a version without them', async () => {
  const account = await connect()
  const { hub, web, sync, adapter } = account
  hub.state.open(web, { title: 'Issue' })
  await sync.run()
  hub.state.discuss(web, { title: 'Talk' })
  const cursor = JSON.parse(JSON.stringify(sync.cursor), (key, value: unknown) =>
    key === 'discussions' ? undefined : value,
  )
  const found: string[] = []
  for await (const page of adapter.listChanges(sync.session, {
    cursor,
    settings: DEFAULT_SETTINGS,
  }))
    found.push(...page.upserts.map(({ title }) => title))
  expect(found).toContain('Talk')
})
