import * as fc from 'fast-check'
import { decodeWords } from 'postal-mime'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { brokenPdf, pdfOf } from '../../../../emulators/google/file-formats.ts'
import type { GoogleEmulator, GoogleEmulatorOptions } from '../../../../emulators/google/google-emulator.ts'
import { byTitle, closeGoogles, connectGoogle, refusal, titles } from '../../../../test/support/google.ts'
import { createProviderHarness } from '../../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import type { ProviderLimits } from '../../adapter.ts'
import { createGmailAdapter, GMAIL_SCOPE } from './adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterEach(closeGoogles)
afterAll(() => extractor.close())

const connect = (options: GoogleEmulatorOptions = {}, limits: Partial<ProviderLimits> = {}) =>
  connectGoogle(
    (settings, clock) => createGmailAdapter({ settings, clock, extractor }),
    GMAIL_SCOPE,
    options,
    limits,
  )

const idOf = (google: GoogleEmulator, mailId: string) => `${google.account}/${mailId}`

describe('the first sync of a mailbox', () => {
  it('stores every mail once, except trash and spam', async () => {
    const { engine } = await connect({ mails: 250 })
    const { ingested, failures } = await engine.run()
    expect(failures).toEqual([])
    // Of the first 250 mails, three are in the trash (13, 110, 207) and three in spam (11, 100, 189).
    expect(ingested.length).toBe(250 - 3 - 3)
    expect(engine.items.size).toBe(ingested.length)
    expect([...engine.items.values()].filter((item) => /^>|wrote:$/m.test(item.body))).toEqual([])
  })

  it('stores sender, recipients, labels, thread, link and the time Google received the mail, not the Date header', async () => {
    const { google, engine } = await connect()
    const receivedAt = Date.UTC(2026, 0, 5)
    const id = google.mail.deliver({
      from: '=?utf-8?B?SsO8cmdlbg==?= Berg <jb@acme.example>',
      to: 'Demo <demo.user@acme.example>, "Lima, Ana" <ana@acme.example>',
      subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
      text: 'Hello',
      receivedAt,
      dateHeader: 'Fri, 01 Jan 1999 00:00:00 GMT',
      threadId: '18c0000000000001',
      labelIds: ['INBOX', 'UNREAD', 'IMPORTANT', 'Label_1'],
    })
    await engine.run()
    const link = `https://mail.google.com/mail/?authuser=demo.user%40acme.example#all/${id}`
    expect(engine.items.get(idOf(google, id))).toEqual({
      externalId: idOf(google, id),
      sourceKind: 'message',
      title: 'Grüße',
      body: 'Hello',
      url: link,
      authorName: 'Jürgen Berg',
      sourceCreatedAt: new Date(receivedAt),
      sourceUpdatedAt: new Date(receivedAt),
      metadata: {
        workspace: 'acme.example',
        mailbox: google.account,
        sender: 'Jürgen Berg',
        senderEmail: 'jb@acme.example',
        recipients: ['demo.user@acme.example', 'ana@acme.example'],
        namedRecipients: ['Demo <demo.user@acme.example>', 'Lima, Ana <ana@acme.example>'],
        labels: ['INBOX', 'Projects/Launch'],
        threadId: '18c0000000000001',
        permalink: link,
        accessPolicy: { visibility: 'private' },
      },
    })
  })

  it("stores the sender's full name, encoded or decoded by Gmail, with or without a comma", async () => {
    const { google, engine } = await connect()
    const senders = [
      'Müller, Jürgen <j@acme.example>',
      '=?utf-8?Q?M=C3=BCller?= <j@acme.example>',
      'j@acme.example',
    ]
    for (const from of senders) google.mail.deliver({ from, subject: from })
    await engine.run()
    expect(senders.map((from) => byTitle(engine, decodeWords(from))?.authorName)).toEqual([
      'Müller, Jürgen',
      'Müller',
      'j@acme.example',
    ])
  })

  it('reads HTML, old charsets, replies without quotes, and attachments', async () => {
    const { google, engine } = await connect()
    google.mail.deliver({
      subject: 'Re: html',
      html: '<div>Yes.</div><div class="gmail_quote"><div>On Mon, Ana wrote:<br></div><blockquote>old</blockquote></div>',
    })
    google.mail.deliver({ subject: 'latin', text: 'Grüße aus Köln', charset: 'iso-8859-1' })
    const files = [
      { fileName: 'plan.pdf', mimeType: 'application/pdf', content: pdfOf(['the plan']) },
      { fileName: 'photo.gif', mimeType: 'image/gif', content: new Uint8Array(10) },
    ]
    google.mail.deliver({ subject: 'files', text: 'Attached.', attachments: files })
    google.mail.deliver({ subject: 'Only a subject', text: '' })
    const { skipped } = await engine.run()
    expect(byTitle(engine, 'Re: html')?.body).toBe('Yes.')
    expect(byTitle(engine, 'latin')?.body).toBe('Grüße aus Köln')
    expect(byTitle(engine, 'files')?.body).toBe('Attached.\n\nplan.pdf:\nthe plan')
    expect(byTitle(engine, 'files')?.metadata['attachments']).toEqual(['plan.pdf', 'photo.gif'])
    expect(byTitle(engine, 'Only a subject')?.body).toBe('Only a subject')
    expect(skipped).toMatchObject([
      { title: 'files', message: 'Files of these types are not read: photo.gif (image/gif)' },
    ])
  })

  it('marks a long HTML mail as truncated', async () => {
    const { google, engine } = await connect({}, { maxTextBytes: 1_000 })
    google.mail.deliver({ subject: 'long', html: `<p>${'Many words. '.repeat(150)}</p>` })
    await engine.run()
    expect(byTitle(engine, 'long')?.metadata['truncated']).toBe(true)
  })

  it('reads the first five attachments, and names the others', async () => {
    const { google, engine } = await connect()
    const attachments = Array.from({ length: 7 }, (_, at) => ({
      fileName: `${at}.txt`,
      mimeType: 'text/plain',
      content: Buffer.from(`text ${at}`),
    }))
    const id = google.mail.deliver({ subject: 'many', text: 'Attached.', attachments })
    const { failures, skipped } = await engine.run()
    expect(failures).toEqual([])
    expect(byTitle(engine, 'many')?.body).toContain('text 4')
    const message = 'Only the first 5 attachments are read, not 5.txt, 6.txt'
    expect(skipped).toEqual([{ externalId: idOf(google, id), title: 'many', message }])
  })

  it('stores a mail without an unreadable attachment, and reports it', async () => {
    const { google, engine } = await connect({}, { maxDownloadBytes: 50_000 })
    const files = [
      { fileName: 'broken.pdf', mimeType: 'application/pdf', content: brokenPdf() },
      { fileName: 'large.txt', mimeType: 'text/plain', content: new Uint8Array(50_001) },
    ]
    const id = google.mail.deliver({ subject: 'files', text: 'Attached.', attachments: files })
    const { failures } = await engine.run()
    expect(byTitle(engine, 'files')?.body).toBe('Attached.')
    const ofMail = { externalId: idOf(google, id), title: 'files' }
    expect(failures).toEqual([
      { ...ofMail, message: expect.stringContaining('broken.pdf: The file cannot be read') },
      { ...ofMail, message: expect.stringContaining('large.txt: The attachment is larger') },
    ])
  })
})

describe('changes in a mailbox', () => {
  it('reach the next run: new mail, trash, spam, restored mail, permanent deletion, labels', async () => {
    const { google, engine } = await connect()
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((subject) => google.mail.deliver({ subject }))
    await engine.run()
    google.mail.trash(a ?? '')
    google.mail.addLabels(b ?? '', ['SPAM'])
    google.mail.remove(c ?? '')
    google.mail.addLabels(d ?? '', ['Label_1'])
    google.mail.deliver({ subject: 'e' })
    const { deleted } = await engine.run()
    expect(deleted.length).toBe(3)
    expect(titles(engine)).toEqual(['d', 'e'])
    expect(byTitle(engine, 'd')?.metadata.labels).toEqual(['INBOX', 'Projects/Launch'])
    google.mail.untrash(a ?? '')
    google.mail.removeLabels(b ?? '', ['SPAM'])
    await engine.run()
    expect(titles(engine)).toEqual(['a', 'b', 'd', 'e'])
  })

  it('during a full crawl reach the run after it', async () => {
    const { google, engine } = await connect({ mails: 150 })
    await engine.run({ dieAfter: 1 })
    const first = google.mail.mailId(149)
    expect(engine.items.has(idOf(google, first))).toBe(true)
    google.mail.trash(first)
    await engine.run()
    await engine.run()
    expect(engine.items.has(idOf(google, first))).toBe(false)
  })

  it('cost one request when there are none, or only read marks', async () => {
    const { google, engine } = await connect({ mails: 50 })
    await engine.run()
    google.requests.reset()
    const { ingested, discovered } = await engine.run()
    expect({ ingested, discovered, total: google.requests.total }).toEqual({
      ingested: [],
      discovered: 0,
      total: 1,
    })
    for (let index = 0; index < 40; index += 4)
      google.mail.removeLabels(google.mail.mailId(index), ['UNREAD'])
    google.requests.reset()
    await engine.run()
    expect(google.requests.total).toBe(1)
  })

  it('only to spam and drafts cost one request; sent drafts arrive', async () => {
    const { google, engine } = await connect()
    await engine.run()
    google.mail.deliver({ subject: 'spam', labelIds: ['SPAM'] })
    const draft = google.mail.deliver({ subject: 'draft', labelIds: ['DRAFT'] })
    google.requests.reset()
    await engine.run()
    expect(google.requests.total).toBe(1)
    const saved = google.mail.deliver({ subject: 'draft saved', labelIds: ['DRAFT'] })
    google.mail.remove(draft)
    google.mail.removeLabels(saved, ['DRAFT'])
    google.mail.addLabels(saved, ['SENT'])
    const fleeting = google.mail.deliver({ subject: 'fleeting' })
    google.mail.remove(fleeting)
    expect((await engine.run()).failures).toEqual([])
    expect(titles(engine)).toEqual(['draft saved'])
  })

  it('from too long ago require a full resync, which removes deleted mail', async () => {
    const { google, engine } = await connect({ mails: 30 })
    await engine.run()
    const size = engine.items.size
    google.mail.remove(google.mail.mailId(0))
    google.mail.expireHistory()
    await expect(engine.run()).rejects.toMatchObject({
      kind: 'cursor_expired',
      message: 'Requested entity was not found.',
    })
    engine.now += 60_000
    await engine.run({ fullResync: true })
    expect(engine.items.size).toBe(size - 1)
  })
})

describe('Gmail', () => {
  it("rate limits are waited out by Gmail's clock", async () => {
    const { google, engine } = await connect({ mails: 60 })
    google.faults.add({
      every: 9,
      times: 5,
      status: 429,
      headers: { 'retry-after': '30' },
      body: refusal('rateLimitExceeded', 429),
    })
    google.faults.add({
      path: '/messages/',
      times: 1,
      status: 429,
      headers: { date: 'Mon, 01 Jan 2001 00:00:00 GMT' },
      body: { error: { message: 'User-rate limit exceeded.  Retry after 2001-01-01T00:02:00.000Z' } },
    })
    expect((await engine.run()).failures).toEqual([])
    expect(engine.items.size).toBe(58)
    expect(engine.waitedMs).toBeGreaterThan(150_000)
    expect(engine.waitedMs).toBeLessThan(600_000)
  })

  it('a mail that gets no answer does not block the others and arrives with a later run', async () => {
    const { google, engine } = await connect({ mails: 60 })
    google.faults.add({ path: google.mail.mailId(5), status: 500, body: refusal('backendError', 500) })
    const { failures } = await engine.run()
    expect(failures).toEqual([
      { externalId: idOf(google, google.mail.mailId(5)), message: 'the words of backendError' },
    ])
    google.faults.clear()
    const { ingested } = await engine.run()
    expect(ingested).toEqual([idOf(google, google.mail.mailId(5))])
  })

  it("a proxy's page in place of an answer counts as an outage and removes nothing", async () => {
    const { google, engine } = await connect({ mails: 20 })
    await engine.run()
    const size = engine.items.size
    google.faults.add({ path: '/messages', status: 200, body: '<html>Please log in</html>' })
    engine.now += 60_000
    await expect(engine.run({ fullResync: true })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(engine.items.size).toBe(size)
  })

  it('a mail above the size limit is recorded and skipped', async () => {
    const { google, engine } = await connect({ mails: 3 }, { maxDownloadBytes: 100_000 })
    const id = google.mail.deliver({ subject: 'huge', text: 'words '.repeat(50_000) })
    const { failures } = await engine.run()
    expect(failures).toEqual([
      { externalId: idOf(google, id), message: "Gmail's answer is larger than 137 KiB and is not read" },
    ])
    expect(engine.items.size).toBe(3)
  })

  it('a full crawl that listed everything but did not finish is still a full crawl when resumed', async () => {
    const { google, engine } = await connect({ mails: 30 })
    await engine.run()
    const [kept] = engine.items.values()
    if (!kept) throw new Error('nothing was stored')
    const ghost = idOf(google, 'gone-for-long')
    engine.items.set(ghost, { ...kept, externalId: ghost })
    await engine.run({ fullResync: true, dieAfter: 1 })
    await engine.run()
    expect(engine.items.has(ghost)).toBe(false)
  })

  it('an outage ends the run, and the next run resumes', async () => {
    const { google, engine } = await connect({ mails: 250 })
    await engine.run({ dieAfter: 1 })
    google.faults.add({ status: 503 })
    await expect(engine.run()).rejects.toMatchObject({ kind: 'unavailable' })
    google.faults.clear()
    google.requests.reset()
    await engine.run()
    expect(engine.items.size).toBe(244)
    // Of the five pages, one was read before.
    expect(google.requests.byPath()['/gmail/v1/users/me/messages']).toBe(4)
  })

  it('a rejected page token restarts the list or the history', async () => {
    const { google, engine } = await connect({ mails: 250 })
    await engine.run({ dieAfter: 1 })
    google.mail.expirePageTokens()
    await engine.run()
    expect(engine.items.size).toBe(244)
    for (let index = 0; index < 150; index += 1) google.mail.deliver({ subject: `new ${index}` })
    await engine.run({ dieAfter: 1 })
    google.faults.add({
      path: '/history',
      contains: 'pageToken',
      times: 1,
      status: 400,
      body: refusal('invalidArgument', 400),
    })
    await engine.run()
    expect(engine.items.size).toBe(394)
  })
})

describe('an interrupted run', () => {
  it('on any pages, stored or not, with mail arriving and leaving, ends like an uninterrupted run', async () => {
    const act = fc.constantFrom('deliver', 'trash', 'untrash', 'remove', 'label', 'many', 'none')
    const cut = fc.record({
      dieAfter: fc.integer({ min: 1, max: 2 }),
      losePage: fc.boolean(),
      act,
      at: fc.nat(200),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 6 }), async (cuts) => {
        const { google, engine } = await connect({ mails: 210 })
        for (const { dieAfter, losePage, act: what, at } of cuts) {
          await engine.run({ dieAfter, losePage })
          change(google, what, at)
        }
        await engine.run()
        await engine.run()
        const fresh = connectFresh(google)
        await fresh.run()
        expect([...engine.items].toSorted(byId)).toEqual([...fresh.items].toSorted(byId))
        await closeGoogles()
      }),
      { numRuns: 5 },
    )
  }, 120_000)
})

function change({ mail }: GoogleEmulator, what: string, at: number): void {
  const id = mail.mailId(at)
  if (what === 'deliver') mail.deliver({ subject: `new ${at}` })
  if (what === 'many')
    for (let index = 0; index < 120; index += 1) mail.deliver({ subject: `many ${at} ${index}` })
  if (mail.get(id) === null) return
  if (what === 'trash') mail.trash(id)
  if (what === 'untrash') mail.untrash(id)
  if (what === 'remove') mail.remove(id)
  if (what === 'label') mail.addLabels(id, ['Label_1'])
}

/** Another source on the same mailbox that has never synced. */
function connectFresh(google: GoogleEmulator) {
  const { clientId, clientSecret, url } = google
  const settings = { clientId, clientSecret, apiUrl: url, authUrl: url }
  const { accessToken } = google.grants.issue(google.account, GMAIL_SCOPE)
  return createProviderHarness({
    adapter: createGmailAdapter({ settings, clock: { now: () => new Date() }, extractor }),
    account: { externalAccountId: google.account, displayName: google.account },
    accessToken: () => accessToken,
  })
}

const byId = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

describe('one mail', () => {
  it('with a forwarded mail of 200,000 lines is read like any other', async () => {
    const { google, engine } = await connect()
    const id = google.mail.deliver({
      from: 'a@acme.example',
      subject: 'Re: Long',
      text: `See below.\n\n---------- Forwarded message ---------\n${'a line\n'.repeat(200_000)}`,
    })
    const { failures, complete } = await engine.run()
    expect({ failures, complete }).toEqual({ failures: [], complete: true })
    expect(engine.items.get(idOf(google, id))?.body).toMatch(/^See below\./)
  })

  it.each([new RangeError('too long'), new TypeError('text.trim is no function'), 'a string'])(
    'that the service fails on (%s) is counted, and the others arrive [SYNC-13]',
    async (fault) => {
      const throwing = {
        formatOf: () => null,
        extract: () => Promise.reject(fault),
        close: async () => {},
      }
      const { google, engine } = await connectGoogle(
        (settings, clock) => createGmailAdapter({ settings, clock, extractor: throwing }),
        GMAIL_SCOPE,
      )
      const broken = google.mail.deliver({ from: 'a@acme.example', subject: 'Broken', html: '<p>Broken</p>' })
      const fine = google.mail.deliver({ from: 'a@acme.example', subject: 'Fine', text: 'Fine' })
      const { failures, complete } = await engine.run()
      expect(complete).toBe(true)
      const failed = { externalId: idOf(google, broken), code: 'service_failed', fault }
      expect(failures).toContainEqual(expect.objectContaining(failed))
      expect(engine.items.get(idOf(google, fine))?.body).toBe('Fine')
    },
  )
})
