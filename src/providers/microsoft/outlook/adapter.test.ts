import { afterAll, describe, expect, it } from 'vitest'
import type { EmulatedAttachment, EmulatedMail } from '../../../../emulators/microsoft/mail-state.ts'
import { connectForTest, type MicrosoftAccountOptions } from '../../../../test/support/microsoft.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createOutlookAdapter, OUTLOOK_SCOPES } from './adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

async function connect(options: Partial<MicrosoftAccountOptions> = {}) {
  const account = await connectForTest({
    scopes: OUTLOOK_SCOPES,
    createAdapter: (settings, clock) => createOutlookAdapter({ settings, clock, extractor, itemsPerPage: 5 }),
    ...options,
  })
  const { microsoft, sync } = account
  const idOf = ({ id }: EmulatedMail): string => `${microsoft.people.get('ada').id}/${id}`
  return {
    ...account,
    mail: microsoft.mail,
    idOf,
    stored: (mail: EmulatedMail) => sync.items.get(idOf(mail)),
  }
}

const attachment = (name: string, more: Partial<EmulatedAttachment> = {}): EmulatedAttachment => ({
  id: name,
  kind: 'file',
  name,
  contentType: 'text/plain',
  bytes: Buffer.from(`The text of ${name}.`),
  isInline: false,
  ...more,
})

describe('a mail', () => {
  it('is an item with its sender, recipients, folder, categories and conversation', async () => {
    const { mail, sync, stored, idOf } = await connect()
    const projects = mail.folder('Projects')
    const { id: folderId } = mail.folder('2026', { parentId: projects.id })
    const receivedAt = Date.UTC(2026, 0, 5)
    const sent = mail.deliver({
      folderId,
      receivedAt,
      subject: 'Launch',
      text: 'We launch in May.\r\n',
      from: { name: 'Bob', address: 'bob@acme.example' },
      to: [
        { name: 'Ada', address: 'ada@acme.example' },
        { name: '', address: 'list@acme.example' },
      ],
      categories: ['Red', 'Blue'],
      conversationId: 'c1',
    })
    await sync.run()
    expect(stored(sent)).toEqual({
      externalId: idOf(sent),
      sourceKind: 'message',
      title: 'Launch',
      body: 'We launch in May.',
      url: `https://outlook.office365.example/owa/?ItemID=${sent.id}`,
      authorName: 'Bob',
      sourceCreatedAt: new Date(receivedAt),
      sourceUpdatedAt: new Date(receivedAt),
      metadata: {
        workspace: 'acme.example',
        mailbox: 'ada@acme.example',
        folder: 'Projects / 2026',
        sender: 'Bob',
        senderEmail: 'bob@acme.example',
        recipients: ['ada@acme.example', 'list@acme.example'],
        namedRecipients: ['Ada <ada@acme.example>'],
        labels: ['Blue', 'Red'],
        threadId: 'c1',
        permalink: `https://outlook.office365.example/owa/?ItemID=${sent.id}`,
        accessPolicy: { visibility: 'private' },
      },
    })
  })

  it('without a subject, a text and a sender has a title that says so', async () => {
    const { mail, sync, stored } = await connect()
    const empty = mail.deliver({ subject: '', text: '', from: null, to: [] })
    await sync.run()
    expect(stored(empty)).toMatchObject({ title: '(no subject)', body: '(no subject)', authorName: null })
  })

  it('that answers another is stored without the quotes, and one that forwards it keeps them', async () => {
    const { mail, sync, stored } = await connect()
    const text = 'Yes.\n\nOn Mon, 5 Jan 2026 at 10:00, Bob <bob@acme.example> wrote:\n> Shall we?'
    const byHeader = mail.deliver({ text, headers: { 'In-Reply-To': '<1@acme.example>' } })
    const bySubject = mail.deliver({ text, subject: 'AW: Plan' })
    const forwarded = mail.deliver({ text, subject: 'FW: Plan', headers: { References: '<1@acme.example>' } })
    await sync.run()
    expect(stored(byHeader)?.body).toBe('Yes.')
    expect(stored(bySubject)?.body).toBe('Yes.')
    expect(stored(forwarded)?.body).toBe(text)
  })

  it('is not read from deleted, junk, unsent and search folders, nor as a draft', async () => {
    const { mail, sync } = await connect()
    for (const name of ['deleteditems', 'junkemail', 'drafts', 'outbox'] as const)
      mail.deliver({ folderId: mail.known(name).id })
    mail.deliver({ folderId: mail.folder('Old', { parentId: mail.known('deleteditems').id }).id })
    mail.folder('Unread', { isSearch: true })
    mail.deliver({ isDraft: true })
    const sent = mail.deliver({ folderId: mail.known('sentitems').id })
    expect((await sync.run()).failures).toEqual([])
    expect([...sync.items.values()].map(({ metadata }) => metadata['permalink'])).toEqual([
      expect.stringContaining(sent.id),
    ])
  })
})

describe('attachments', () => {
  it('are read after the text, including attached mails, and unread ones are named', async () => {
    const { mail, sync, stored, idOf } = await connect()
    const attached = Buffer.from(
      'From: bob@acme.example\r\nSubject: Old\r\nContent-Type: text/plain\r\n\r\nThe attached mail.',
    )
    const sent = mail.deliver({
      subject: 'Files',
      text: 'See below.',
      attachments: [
        attachment('notes.txt'),
        attachment('Old', { kind: 'item', contentType: '', bytes: attached }),
        attachment('film.mp4', { contentType: 'video/mp4' }),
        attachment('shared.docx', { kind: 'reference' }),
        attachment('logo.png', { contentType: 'image/png', isInline: true }),
        attachment('broken.pdf', { contentType: 'application/pdf' }),
      ],
    })
    const report = await sync.run()
    expect(stored(sent)?.body).toMatch(
      /^See below\.\n\nnotes\.txt:\nThe text of notes\.txt\.\n\nOld:\n[^]*The attached mail\.$/,
    )
    expect(stored(sent)?.metadata['attachments']).toEqual([
      'notes.txt',
      'Old',
      'film.mp4',
      'shared.docx',
      'broken.pdf',
    ])
    expect(report.failures).toEqual([])
    expect(report.skipped).toEqual([
      {
        externalId: idOf(sent),
        title: 'Files',
        message: expect.stringMatching(
          /^broken\.pdf: .+; attachments of these types are not read: film\.mp4 \(video\/mp4\), shared\.docx \(a link\)$/,
        ),
      },
    ])
  })

  it('beyond the first five, and larger ones than the limit, are named and not requested', async () => {
    const { mail, sync, stored, microsoft } = await connect({ limits: { maxDownloadBytes: 1024 * 1024 } })
    const sent = mail.deliver({
      attachments: [
        attachment('large.txt', { bytes: Buffer.alloc(1024 * 1024 + 1, 'x') }),
        ...Array.from({ length: 5 }, (_unused, index) => attachment(`${index}.txt`)),
      ],
    })
    const { skipped } = await sync.run()
    expect(stored(sent)?.body).toContain('The text of 3.txt.')
    expect(stored(sent)?.body).not.toContain('The text of 4.txt.')
    expect(skipped[0]?.message).toBe(
      'large.txt: The attachment is larger than 1 MiB and is not read; only the first 5 attachments are read, not 4.txt',
    )
    const requested = Object.keys(microsoft.requests.byPath()).filter((path) => path.endsWith('/$value'))
    expect(requested).toHaveLength(4)
  })
})

describe('a mail in an unknown format', () => {
  it('is a failure, or ignored without an id, and keeps no other from being read', async () => {
    const { mail, sync, stored } = await connect()
    for (let count = 0; count < 4; count += 1) mail.deliver({ odd: { receivedDateTime: 'today' } })
    mail.deliver({ odd: { id: null } })
    const sent = mail.deliver()
    const { failures, complete } = await sync.run()
    expect(complete).toBe(true)
    expect(failures.map(({ message }) => message)).toEqual(
      Array.from({ length: 4 }, () => 'Microsoft answered in an unknown format (receivedDateTime)'),
    )
    expect([...sync.items.values()]).toEqual([stored(sent)])
  })
})

describe('changes', () => {
  it('keep a mail that moves, also if it moves back, under its id', async () => {
    const { mail, sync, stored, idOf } = await connect()
    const projects = mail.folder('Projects')
    const [moved, returned] = [mail.deliver(), mail.deliver()]
    await sync.run()
    mail.move(moved, projects)
    mail.move(returned, projects)
    mail.move(returned, mail.known('inbox'))
    expect((await sync.run()).deleted).toEqual([])
    expect(stored(moved)?.metadata.folder).toBe('Projects')
    expect(stored(returned)?.metadata.folder).toBe('Inbox')
    mail.move(moved, mail.known('junkemail'))
    mail.remove(returned)
    expect((await sync.run()).deleted.toSorted()).toEqual([idOf(moved), idOf(returned)].toSorted())
  })

  it('remove the mails of a folder that was deleted, and read them again when it is restored', async () => {
    const { mail, sync } = await connect()
    const projects = mail.folder('Projects')
    const inner = mail.folder('Inner', { parentId: projects.id })
    for (let count = 0; count < 12; count += 1) mail.deliver({ folderId: inner.id })
    mail.deliver()
    await sync.run()
    expect(sync.items.size).toBe(13)
    mail.moveFolder(projects, mail.known('deleteditems'))
    expect((await sync.run()).deleted).toHaveLength(12)
    mail.moveFolder(projects, null)
    expect((await sync.run()).ingested).toHaveLength(12)
    mail.removeFolder(projects)
    expect((await sync.run()).deleted).toHaveLength(12)
    expect(await sync.run()).toMatchObject({ discovered: 0, complete: true })
  })

  it('of a folder whose token is too old are found all the same', async () => {
    const { mail, sync, idOf } = await connect()
    const [gone, ...others] = Array.from({ length: 7 }, () => mail.deliver())
    if (gone === undefined) throw new Error('there is no mail')
    await sync.run()
    mail.remove(gone)
    const added = mail.deliver()
    mail.expireTokens(mail.known('inbox'))
    const report = await sync.run()
    expect(report).toMatchObject({ deleted: [idOf(gone)], ingested: [idOf(added)], failures: [] })
    expect(sync.items.size).toBe(others.length + 1)
  })
})
