import { afterAll, describe, expect, it } from 'vitest'
import { findSuperlinear, hostileTextOf } from '../../../../test/support/hostile-texts.ts'
import { createConnect, SITE } from '../../../../test/support/confluence.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createConfluenceAdapter } from './adapter.ts'
import { htmlOfStorage, namesIn } from './storage.ts'

const MINUTE = 60_000
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)
const clock = { now: () => new Date() }
const { signal } = new AbortController()

describe('the form', () => {
  const fault = (path: string, message: unknown) => ({
    code: 'validation_failed',
    details: { issues: [{ path: `fields.${path}`, message }] },
  })
  const connectWith = async (fields: Record<string, string>) => {
    const { wiki, adapter } = await connect()
    wiki.state.createSpace('~ada')
    return await adapter.connect({ site: SITE, email: wiki.email, token: wiki.token(), ...fields }, signal)
  }

  it('names what is wrong with a field', async () => {
    const refused = fault('token', 'Confluence rejected the email or the API token')
    await expect(connectWith({ token: 'ATATTwrong' })).rejects.toMatchObject(refused)
    await expect(connectWith({ email: 'bob@acme.example' })).rejects.toMatchObject(refused)
    await expect(connectWith({ spaces: 'HR GONE' })).rejects.toMatchObject(
      fault('spaces', 'Confluence has no space GONE that the account can read'),
    )
    await expect(connectWith({ spaces: 'a"b' })).rejects.toMatchObject(
      fault('spaces', expect.stringContaining('must contain only keys such as HR')),
    )
    for (const site of [
      'http://acme.atlassian.net',
      'ftp://acme.atlassian.net',
      'https://a:b@acme.example',
      '//',
    ])
      await expect(connectWith({ site }), site).rejects.toMatchObject(
        fault('site', expect.stringContaining('must be an address such as https://acme.atlassian.net')),
      )
  })

  it('keeps the account when it is connected again, with the address in any form', async () => {
    for (const site of ['acme.atlassian.net', 'https://acme.atlassian.net/wiki/home'])
      expect(await connectWith({ site, spaces: 'HR, ~ada' })).toMatchObject({
        externalAccountId: 'acme.atlassian.net/ada',
        displayName: 'acme.atlassian.net',
        credentials: { extra: { site: SITE, accountId: 'ada', spaces: ['HR', '~ada'] } },
      })
  })

  it('refuses a site at a private address without a request to it', async () => {
    const { wiki } = await connect()
    wiki.requests.reset()
    const fields = { email: wiki.email, token: wiki.token() }
    const resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
    const adapter = createConfluenceAdapter({ apiUrl: null, clock, extractor, resolve })
    for (const site of [
      'https://127.0.0.1',
      'https://intranet.example',
      'https://[::1]',
      'https://169.254.169.254',
    ])
      await expect(adapter.connect({ ...fields, site }, signal), site).rejects.toMatchObject(
        fault('site', 'site must be at a public address'),
      )
    expect(wiki.requests.total).toBe(0)
  })

  it('limits a source to the named spaces; without any, it leaves out personal ones', async () => {
    const titles = async (spaces: string) => {
      const { sync } = await connect({
        spaces,
        prepare({ state }) {
          for (const key of ['ENG', '~ada', 'OLD'])
            state.add(state.createSpace(key, key === 'OLD' ? { status: 'archived' } : {}), { title: key })
        },
      })
      await sync.run()
      return [...sync.items.values()].map(({ title }) => title)
    }
    expect(await titles('')).toEqual(['ENG'])
    expect(await titles('ENG ~ada')).toEqual(['ENG', '~ada'])
  })
})

describe('items', () => {
  it('have the text of attachments, and names of all', async () => {
    const { wiki, hr, sync, item } = await connect({ limits: { maxDownloadBytes: 1_000 } })
    const { state } = wiki
    const page = state.add(hr)
    const plan = state.attach(page, { name: 'plan.md', content: '# Plan\n\n## Comment by ceo\n\nApproved.' })
    state.attach(page, { name: 'photo.png', content: 'no text', mediaType: 'image/png' })
    state.attach(page, { name: 'big.txt', content: 'x'.repeat(1_001) })
    const { skipped } = await sync.run()
    expect(item(page)?.body).toBe('Some text.\n\nplan.md:\n\n# Plan\n\n\\## Comment by ceo\n\nApproved.')
    expect(item(page)?.metadata.attachments).toEqual(['plan.md', 'photo.png', 'big.txt'])
    expect(skipped).toMatchObject([{ message: 'big.txt: it is larger than 0 MiB and is not read' }])
    state.replaceAttachment(plan, 'New plan.')
    await sync.run()
    expect(item(page)?.body).toContain('New plan.')
    wiki.state.attachments.clear()
    await sync.run()
    expect(item(page)?.body).toBe('Some text.')
    expect(item(page)?.metadata.attachments).toBeUndefined()
  })

  it('are read without an attachment that the file store refuses, or has at a private address', async () => {
    const { wiki, hr, sync, item } = await connect()
    const page = wiki.state.add(hr)
    wiki.state.attach(page, { name: 'plan.txt', content: 'The plan.' })
    wiki.faults.add({ path: '/media/', status: 403 })
    expect((await sync.run()).skipped).toMatchObject([
      { message: 'plan.txt: Confluence does not let this account download the file' },
    ])
    wiki.faults.clear()
    const location = 'http://127.0.0.1:9/media'
    wiki.faults.add({ path: '/download', status: 302, headers: { location } })
    const { skipped } = await sync.reread(item(page)?.externalId ?? '')
    expect(skipped).toMatchObject([
      { message: 'plan.txt: Confluence stores the file at an address that is not public' },
    ])
    expect(item(page)?.body).toBe('Some text.')
    wiki.faults.clear()
    await sync.reread(item(page)?.externalId ?? '')
    expect(item(page)?.body).toContain('The plan.')
  })

  it('are a blog post with its comments and labels', async () => {
    const { wiki, hr, sync, item } = await connect()
    const post = wiki.state.add(hr, { type: 'blogpost', title: 'We move', labels: ['news'] })
    const comment = wiki.state.comment(post, { body: '<p>When?</p>' })
    wiki.state.comment(post, { parentId: comment.id, authorId: 'ada', body: '<p>In May.</p>' })
    const empty = wiki.state.add(hr, { type: 'blogpost', body: '' })
    const { skipped } = await sync.run()
    expect(item(post)).toMatchObject({
      title: 'We move',
      body: expect.stringMatching(
        /^Some text\.\n\n## Comment by Bob, .*\n\nWhen\?\n\n## Reply by Ada, .*\n\nIn May\.$/,
      ),
      metadata: { objectType: 'blog_post', labels: ['news'], folder: 'The HR space' },
    })
    expect(skipped).toMatchObject([{ title: empty.title, message: 'The blog post has no text' }])
    const external = item(post)?.externalId ?? ''
    wiki.state.edit(post, { title: 'We moved' })
    expect((await sync.reread(external)).upserts).toMatchObject([{ title: 'We moved' }])
    wiki.state.trash(post)
    expect((await sync.reread(external)).deletions).toEqual([external])
  })

  it('are a page with its comments and replies, in order, with authors and times', async () => {
    const { wiki, hr, sync, item } = await connect()
    const { state } = wiki
    sync.now = Date.UTC(2026, 1, 3, 9, 30)
    const home = state.add(hr, { title: 'Home' })
    const folder = state.add(hr, { type: 'folder', title: 'Policies', parentId: home.id })
    const body =
      '<h2>Days</h2><p>Everybody has 30.</p><div class="code panel"><pre class="syntaxhighlighter-pre">a &lt; b</pre></div>'
    const page = state.add(hr, { title: 'Vacation', parentId: folder.id, labels: ['time-off'], body })
    sync.now += MINUTE
    const first = state.comment(page, { body: '<p>Since when?</p>' })
    sync.now += MINUTE
    const reply = state.comment(page, { parentId: first.id, authorId: 'cy', body: '<p>Since May.</p>' })
    sync.now += MINUTE
    state.comment(page, {
      parentId: reply.id,
      body: '<p>Thanks <ac:link><ri:user ri:account-id="cy" /></ac:link></p>',
    })
    state.comment(page, {
      kind: 'inline',
      selection: '30',
      authorId: 'gone',
      body: '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[if (days < 30) {}]]></ac:plain-text-body></ac:structured-macro>',
    })
    await sync.run()
    const url = `https://acme.atlassian.net/wiki/spaces/HR/pages/${page.id}/Vacation`
    expect(item(page)).toEqual({
      externalId: `acme.atlassian.net/${page.id}`,
      sourceKind: 'document',
      title: 'Vacation',
      body: [
        '## Days',
        'Everybody has 30.',
        '```\na < b\n```',
        '## Comment by Bob, 2026-02-03 09:31 UTC',
        'Since when?',
        '## Reply by Cy, 2026-02-03 09:32 UTC',
        'Since May.',
        '## Inline comment on "30" by a former user, 2026-02-03 09:33 UTC',
        '```\nif (days < 30) {}\n```',
        '## Reply by Bob, 2026-02-03 09:33 UTC',
        'Thanks @Cy',
      ].join('\n\n'),
      url,
      authorName: 'Ada',
      sourceCreatedAt: new Date('2026-02-03T09:30:00Z'),
      sourceUpdatedAt: new Date('2026-02-03T09:30:00Z'),
      metadata: {
        workspace: 'acme.atlassian.net',
        space: 'The HR space',
        spaceKey: 'HR',
        objectType: 'page',
        sender: 'Ada',
        senderEmail: 'ada@acme.example',
        labels: ['time-off'],
        folder: 'The HR space / Home / Policies',
        permalink: url,
        accessPolicy: { visibility: 'restricted', groups: [`confluence-space-${hr.id}`] },
      },
    })
  })

  it('are not made of archived pages, trashed ones, and those without text, which are listed as skipped', async () => {
    const { wiki, hr, sync } = await connect()
    wiki.state.archive(wiki.state.add(hr))
    wiki.state.trash(wiki.state.add(hr))
    wiki.state.add(hr, { title: 'Index', body: '' })
    expect((await sync.run()).skipped).toMatchObject([{ title: 'Index', message: 'The page has no text' }])
    expect(sync.items.size).toBe(0)
    wiki.requests.reset()
    expect((await sync.run()).discovered).toBe(0)
  })

  it('with a malformed response fail without affecting others', async () => {
    const { wiki, hr, sync, item } = await connect()
    const broken = wiki.state.add(hr)
    const page = wiki.state.add(hr)
    wiki.faults.add({ path: `/pages/${broken.id}`, status: 200, body: { id: broken.id, title: 7 } })
    const { failures, complete } = await sync.run()
    expect(complete).toBe(true)
    expect(failures).toMatchObject([{ message: expect.stringContaining('unknown format') }])
    expect(item(page)).toBeDefined()
  })
})

it('items have no names where the account may not see profiles', async () => {
  const { wiki, hr, sync, item } = await connect()
  const page = wiki.state.add(hr)
  wiki.state.comment(page)
  wiki.faults.add({ path: '/users-bulk', status: 404 })
  expect((await sync.run()).failures).toEqual([])
  expect(item(page)).toMatchObject({ authorName: null, body: expect.stringContaining('by a former user') })
})

describe('hostile text', () => {
  it('cannot pass for the comment of another person', async () => {
    const { wiki, hr, sync, item } = await connect()
    const page = wiki.state.add(hr, {
      body: '<p>Hello.</p><h2>Comment by ceo, 2026-01-01 10:00 UTC</h2><p>Approved.</p>',
    })
    wiki.state.comment(page, { body: '<h3>reply by ceo</h3><p>Yes.</p><div hidden>' })
    wiki.state.comment(page, { body: '<p>Shown.</p>' })
    await sync.run()
    const { body = '' } = item(page) ?? {}
    expect(body).toContain('\\## Comment by ceo')
    expect(body).toContain('\\### reply by ceo')
    expect(body).toContain('Shown.')
  })

  it.each(['<![CDATA[', '<ri:user ', '<ri:user ri:account-id="', '<![CDATA[]]>', '&', '<ri:user<'])(
    'of many %j is read in linear time',
    (part) => {
      const read = (text: string): void => {
        htmlOfStorage(text, (id) => id)
        namesIn(text)
      }
      expect(findSuperlinear(hostileTextOf(part, 250_000), read, 60)).toBe(null)
    },
  )

  it('of a long thread is cut at the limit, and not all of it is requested', async () => {
    const { wiki, hr, sync, item } = await connect({ limits: { maxTextBytes: 10_000 } })
    const page = wiki.state.add(hr)
    for (let count = 0; count < 500; count += 1)
      wiki.state.comment(page, { body: `<p>${'x'.repeat(1_000)}</p>` })
    await sync.run()
    expect(Buffer.byteLength(item(page)?.body ?? '')).toBeLessThanOrEqual(10_000)
    const path = `/wiki/api/v2/pages/${page.id}/footer-comments`
    expect(wiki.requests.byPath()[path]).toBe(1)
  })
})
