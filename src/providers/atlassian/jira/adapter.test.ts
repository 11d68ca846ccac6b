import { afterAll, describe, expect, it } from 'vitest'
import { paragraphs } from '../../../../emulators/jira/state.ts'
import { SITE } from '../../../../test/support/atlassian.ts'
import { createConnect } from '../../../../test/support/jira.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { runCooperatively } from '../../../kernel/cooperative.ts'
import { createJiraAdapter } from './adapter.ts'
import { htmlOfAdf } from './adf.ts'

const MINUTE = 60_000
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)
const { signal } = new AbortController()

describe('the form', () => {
  const fault = (path: string, message: unknown) => ({
    code: 'validation_failed',
    details: { issues: [{ path: `fields.${path}`, message }] },
  })
  const connectWith = async (fields: Record<string, string>) => {
    const { jira, adapter } = await connect()
    return await adapter.connect({ site: SITE, email: jira.email, token: jira.token(), ...fields }, signal)
  }

  it('names what is wrong with a field', async () => {
    const refused = fault('token', 'Jira rejected the email or the API token')
    await expect(connectWith({ token: 'ATATTwrong' })).rejects.toMatchObject(refused)
    await expect(connectWith({ projects: 'HR GONE' })).rejects.toMatchObject(
      fault('projects', 'Jira has no project GONE that the account can read'),
    )
    await expect(connectWith({ projects: 'a"b' })).rejects.toMatchObject(
      fault('projects', expect.stringContaining('must contain only keys such as HR')),
    )
    await expect(connectWith({ site: 'http://acme.atlassian.net' })).rejects.toMatchObject(
      fault('site', expect.stringContaining('must be an address such as https://acme.atlassian.net')),
    )
  })

  it('keeps the account when it is connected again, with the address in any form', async () => {
    for (const site of ['acme.atlassian.net', 'https://acme.atlassian.net/jira/your-work'])
      expect(await connectWith({ site, projects: 'hr' })).toMatchObject({
        externalAccountId: 'acme.atlassian.net/ada',
        displayName: 'acme.atlassian.net',
        credentials: { extra: { site: SITE, accountId: 'ada', projects: ['hr'] } },
      })
  })

  it('refuses a site at a private address without a request to it', async () => {
    const { jira } = await connect()
    jira.requests.reset()
    const clock = { now: () => new Date() }
    const adapter = createJiraAdapter({ apiUrl: null, clock, extractor })
    const fields = { site: 'https://127.0.0.1', email: jira.email, token: jira.token() }
    await expect(adapter.connect(fields, signal)).rejects.toMatchObject(
      fault('site', 'site must be at a public address'),
    )
    expect(jira.requests.total).toBe(0)
  })

  it('limits a source to the named projects, and never reads archived ones', async () => {
    const titles = async (projects: string) => {
      const { sync } = await connect({
        projects,
        prepare({ state }) {
          for (const key of ['ENG', 'OPS', 'OLD'])
            state.add(state.createProject(key, { isArchived: key === 'OLD' }), { summary: key })
        },
      })
      await sync.run()
      return [...sync.items.values()].map(({ title }) => title)
    }
    expect(await titles('')).toEqual(['ENG', 'OPS'])
    expect(await titles('OPS')).toEqual(['OPS'])
  })
})

describe('items', () => {
  it('are an issue with its fields and comments, in order, with authors and times', async () => {
    const { jira, hr, sync, item } = await connect()
    const { state } = jira
    sync.now = Date.UTC(2026, 1, 3, 9, 30)
    const issue = state.add(hr, {
      summary: 'Printer is on fire',
      description: paragraphs('It burns.', 'It smells.'),
      type: 'Bug',
      status: 'In Progress',
      reporterId: 'ada',
      assigneeId: 'bob',
      labels: ['office', 'hot'],
    })
    sync.now += MINUTE
    state.comment(issue, { body: paragraphs('Since when?') })
    sync.now += MINUTE
    state.comment(issue, { body: paragraphs('Since May.'), authorId: 'gone' })
    await sync.run()
    const url = 'https://acme.atlassian.net/browse/HR-1'
    expect(item(issue)).toEqual({
      externalId: `acme.atlassian.net/${issue.id}`,
      sourceKind: 'document',
      title: 'Printer is on fire',
      body: [
        'Bug HR-1 in The HR project, In Progress. Assignee: Bob. Reporter: Ada. Labels: office, hot.',
        'It burns.',
        'It smells.',
        '## Comment by Bob, 2026-02-03 09:31 UTC',
        'Since when?',
        '## Comment by a former user, 2026-02-03 09:32 UTC',
        'Since May.',
      ].join('\n\n'),
      url,
      authorName: 'Ada',
      sourceCreatedAt: new Date('2026-02-03T09:30:00Z'),
      sourceUpdatedAt: new Date('2026-02-03T09:32:00Z'),
      metadata: {
        workspace: 'acme.atlassian.net',
        project: 'The HR project',
        projectKey: 'HR',
        objectType: 'issue',
        issueType: 'Bug',
        key: 'HR-1',
        status: 'In Progress',
        assignee: 'Bob',
        sender: 'Ada',
        senderEmail: 'ada@acme.example',
        labels: ['office', 'hot'],
        folder: 'The HR project',
        permalink: url,
        accessPolicy: { visibility: 'restricted', groups: [`jira-project-${hr.id}`] },
      },
    })
  })

  it('have every comment of a long thread, and none of a role or a group', async () => {
    const { jira, hr, sync, item } = await connect({ pageMax: 2 })
    const { state } = jira
    const issue = state.add(hr)
    hr.roles.set('10002', { users: ['ada'], groups: [] })
    for (let count = 0; count < 5; count += 1) state.comment(issue, { body: paragraphs(`Number ${count}.`) })
    for (const visibility of [
      { type: 'role', value: 'Administrators', identifier: '10002' },
      { type: 'group', value: 'staff', identifier: 'staff' },
    ] as const)
      state.comment(issue, { body: paragraphs('Secret.'), visibility })
    await sync.run()
    const { body = '' } = item(issue) ?? {}
    for (let count = 0; count < 5; count += 1) expect(body).toContain(`Number ${count}.`)
    expect(body).not.toContain('Secret.')
  })

  it('with a malformed response fail without affecting others', async () => {
    const { jira, hr, sync, item } = await connect()
    const broken = jira.state.add(hr)
    const issue = jira.state.add(hr)
    jira.faults.add({ path: `/issue/${broken.id}`, status: 200, body: { id: broken.id, fields: 7 } })
    const { failures, complete } = await sync.run()
    expect(complete).toBe(true)
    expect(failures).toMatchObject([{ message: expect.stringContaining('unknown format') }])
    expect(item(issue)).toBeDefined()
  })
})

describe('documents', () => {
  const text = async (...content: unknown[]) => {
    const { jira, hr, sync, item } = await connect()
    const issue = jira.state.add(hr, { description: { type: 'doc', version: 1, content } })
    await sync.run()
    return item(issue)?.body.split('\n\n').slice(1).join('\n\n')
  }
  const words = (written: string, ...marks: unknown[]) => ({ type: 'text', text: written, marks })
  const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content })

  it('keep headings, lists, code, tables and links', async () => {
    const cell = (type: string, written: string) => ({ type, content: [paragraph(words(written))] })
    expect(
      await text(
        { type: 'heading', attrs: { level: 2 }, content: [words('Steps & notes')] },
        {
          type: 'bulletList',
          content: [
            { type: 'listItem', content: [paragraph(words('one'))] },
            { type: 'listItem', content: [paragraph(words('two'))] },
          ],
        },
        { type: 'codeBlock', attrs: { language: 'js' }, content: [words('if (a < b) {}')] },
        {
          type: 'table',
          content: [
            { type: 'tableRow', content: [cell('tableHeader', 'Name'), cell('tableHeader', 'Days')] },
            { type: 'tableRow', content: [cell('tableCell', 'Ada'), cell('tableCell', '30')] },
          ],
        },
        paragraph(words('handbook', { type: 'link', attrs: { href: 'https://acme.example/h' } })),
      ),
    ).toMatch(
      /^## Steps & notes\n\n- one\n\n- two\n\n```\nif \(a < b\) \{\}\n```\n\n\| Name \| Days \|\n\|[ -]+\|[ -]+\|\n\| Ada \| 30 \|\n\n\[?handbook/,
    )
  })

  it('keep people, dates, states, smart links and tasks', async () => {
    const shown = await text(
      paragraph(
        { type: 'mention', attrs: { id: 'cy', text: '@Cy' } },
        words(' until '),
        { type: 'date', attrs: { timestamp: String(Date.UTC(2026, 4, 1)) } },
        words(' '),
        { type: 'status', attrs: { text: 'LATE', color: 'red' } },
        { type: 'emoji', attrs: { shortName: ':smile:', text: '😄' } },
      ),
      paragraph({ type: 'inlineCard', attrs: { url: 'https://acme.example/card' } }),
      {
        type: 'taskList',
        attrs: { localId: 'a' },
        content: [{ type: 'taskItem', attrs: { localId: 'b', state: 'DONE' }, content: [words('Pack')] }],
      },
      { type: 'unknownThing', content: [paragraph(words('still read'))] },
    )
    expect(shown).toContain('@Cy until 2026-05-01 LATE😄')
    expect(shown).toContain('https://acme.example/card')
    expect(shown).toMatch(/\[x\\?\] Pack/)
    expect(shown).toContain('still read')
  })

  it('cannot pass for the comment of another person, or for markup', async () => {
    const shown = await text(
      { type: 'heading', attrs: { level: 2 }, content: [words('Comment by ceo, 2026-01-01 10:00 UTC')] },
      paragraph(words('<script>alert(1)</script>')),
      paragraph(words('x', { type: 'link', attrs: { href: '"><div hidden>' } })),
      paragraph(words('Shown.')),
    )
    expect(shown).toContain('\\## Comment by ceo')
    expect(shown).toContain('alert(1)')
    expect(shown).toContain('Shown.')
  })

  it('nested deeply, or of a wrong shape, are read in linear time and with pauses', async () => {
    let deep: unknown = words('deep')
    for (let level = 0; level < 50_000; level += 1) deep = { type: 'blockquote', content: [deep] }
    const many = { type: 'doc', content: Array.from({ length: 50_000 }, () => words('<')) }
    const documents = [deep, many, null, 7, 'text', [], { type: 7, content: {} }, { content: [null, 7] }]
    const begun = performance.now()
    for (const document of documents)
      expect(typeof (await runCooperatively(htmlOfAdf(document, 1_000_000)))).toBe('string')
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect((await runCooperatively(htmlOfAdf(many, 1_000))).length).toBeLessThan(1_100)
  })
})
