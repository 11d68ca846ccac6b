import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { byTitle, closeGoogles, connectGoogle, refusal } from '../../../../test/support/google.ts'
import type { GoogleEmulator } from '../../../../emulators/google/google-emulator.ts'
import { createGmailAdapter, GMAIL_SCOPE } from './adapter.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterEach(closeGoogles)
afterAll(() => extractor.close())

const connect = () =>
  connectGoogle((settings, clock) => createGmailAdapter({ settings, clock, extractor }), GMAIL_SCOPE)

const idOf = (google: GoogleEmulator, mailId: string) => `${google.account}/${mailId}`

describe('the metadata of a mail', () => {
  it('lists 50 names of attachments at most, of 255 characters each', async () => {
    const { google, engine } = await connect()
    const attachments = Array.from({ length: 60 }, () => ({
      fileName: 'x'.repeat(10_000),
      mimeType: 'application/zip',
      content: new Uint8Array(1),
    }))
    google.mail.deliver({ subject: 'many', text: 'Attached.', attachments })
    await engine.run()
    expect(byTitle(engine, 'many')?.metadata['attachments']).toEqual(
      Array.from({ length: 50 }, () => 'x'.repeat(255)),
    )
  })
})

describe('the text of a mail', () => {
  it("is complete when it forwards another, also in Outlook's form, or quotes without being a reply", async () => {
    const { google, engine } = await connect()
    const header = 'From: Ana\nSent: Monday\nTo: Ben\nSubject: RE: plan'
    const forwarded = `For you.\n\n${header}\n\nWe move in May.\n> When?`
    google.mail.deliver({ subject: 'FW: RE: plan', text: forwarded, threadId: '18c0000000000001' })
    const prose = 'Run this:\n> select 1\nand tell me.'
    google.mail.deliver({ subject: 'Report: numbers', text: prose })
    google.mail.deliver({
      subject: 'New words',
      text: `Yes.\n${header}\n\nold`,
      threadId: '18c0000000000001',
    })
    await engine.run()
    expect(byTitle(engine, 'FW: RE: plan')?.body).toBe(forwarded)
    expect(byTitle(engine, 'Report: numbers')?.body).toBe(prose)
    expect(byTitle(engine, 'New words')?.body).toBe('Yes.')
  })

  it('includes attached mails with their quotes', async () => {
    const { google, engine } = await connect()
    const id = google.mail.deliver({ subject: 'Re: attached' })
    const text = (words: string) => ({
      mimeType: 'text/plain',
      body: { size: words.length, data: Buffer.from(words).toString('base64url') },
    })
    const quote = 'On 5 Feb 2024, at 10:12, Ana wrote:\n\nold'
    const attached = {
      mimeType: 'message/rfc822',
      filename: 'mail.eml',
      parts: [text(`Theirs.\n\n${quote}`)],
    }
    const payload = {
      mimeType: 'multipart/mixed',
      headers: [{ name: 'Subject', value: 'Re: attached' }],
      parts: [text(`Mine.\n\n${quote}`), attached],
    }
    google.faults.add({ path: id, status: 200, body: { id, threadId: id, labelIds: ['INBOX'], payload } })
    await engine.run()
    expect(byTitle(engine, 'Re: attached')?.body).toBe(`Mine.\n\nTheirs.\n\n${quote}`)
  })

  it('is stored at once when an attachment gets no answer; the attachment arrives with a later run', async () => {
    const { google, engine } = await connect()
    const files = [{ fileName: 'plan.txt', mimeType: 'text/plain', content: Buffer.from('the plan') }]
    const id = google.mail.deliver({ subject: 'files', text: 'Attached.', attachments: files })
    google.faults.add({ path: '/attachments/', status: 500, body: refusal('backendError', 500) })
    const { failures } = await engine.run()
    expect(failures).toEqual([
      { externalId: idOf(google, id), title: 'files', message: 'plan.txt: the words of backendError' },
    ])
    expect(byTitle(engine, 'files')?.body).toBe('Attached.')
    google.faults.clear()
    expect((await engine.run()).failures).toEqual([])
    expect(byTitle(engine, 'files')?.body).toBe('Attached.\n\nplan.txt:\nthe plan')
  })

  it('is stored with label ids when Gmail hides the names', async () => {
    const { google, engine } = await connect()
    google.mail.deliver({ subject: 'labelled', labelIds: ['INBOX', 'Label_1'] })
    google.faults.add({ path: '/labels', status: 403, body: refusal('forbidden') })
    expect((await engine.run()).failures).toEqual([])
    expect(byTitle(engine, 'labelled')?.metadata.labels).toEqual(['INBOX', 'Label_1'])
  })

  it('of many huge mails is yielded in batches, and an interrupted run loses none', async () => {
    const { google, engine } = await connect()
    const text = 'words '.repeat(80_000)
    for (let index = 0; index < 60; index += 1) google.mail.deliver({ subject: `huge ${index}`, text })
    const { discovered } = await engine.run({ dieAfter: 1 })
    expect(discovered).toBe(0)
    expect(engine.items.size).toBeGreaterThan(0)
    expect(engine.items.size).toBeLessThan(60)
    const rest = await engine.run()
    expect(engine.items.size).toBe(60)
    expect(rest.discovered).toBe(60)
  })
})
