import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { byTitle, closeGoogles, connectGoogle, refusal, titles } from '../../../../test/support/google.ts'
import { workbookOf } from '../../../../emulators/google/file-formats.ts'
import { sampleOdt } from '../../../../test/support/sample-files.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import type { GoogleEmulatorOptions } from '../../../../emulators/google/google-emulator.ts'
import type { ProviderLimits } from '../../adapter.ts'
import { createGoogleDriveAdapter, GOOGLE_DRIVE_SCOPE } from './adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterEach(closeGoogles)
afterAll(() => extractor.close())

const connect = (options: GoogleEmulatorOptions = {}, limits: Partial<ProviderLimits> = {}) =>
  connectGoogle(
    (settings, clock) => createGoogleDriveAdapter({ settings, clock, extractor }),
    GOOGLE_DRIVE_SCOPE,
    options,
    limits,
  )

describe('the first sync of a Drive', () => {
  it('stores every readable file of My Drive and the shared drives once, and no others', async () => {
    const { engine } = await connect({ files: 120, folders: 12, sharedDrives: 2 })
    const { ingested, failures, skipped } = await engine.run()
    expect(failures).toEqual([])
    // Every eleventh file is an image.
    expect(skipped).toHaveLength(10)
    for (const { title, message } of skipped) {
      expect(title).toMatch(/\.\w+$/)
      expect(message).toMatch(/^Files of type image\/\w+ are not read$/)
    }
    expect(engine.items.size).toBe(110)
    expect(ingested.length).toBe(110)
    expect([...engine.items.values()].filter((item) => item.body.length < 100)).toEqual([])
  })

  it('stores the text of Office files, recognized by name when Drive does not know their type', async () => {
    const { google, engine } = await connect({ files: 33 })
    const content = workbookOf([{ name: 'Costs', rows: [['Desks', 1234.5, new Date('2025-03-01')]] }])
    google.drive.create({ name: 'Budget.xlsx', mimeType: 'application/octet-stream', content })
    await engine.run()
    expect(byTitle(engine, 'Budget.xlsx')).toMatchObject({
      sourceKind: 'file',
      body: '# Costs\n\nDesks | 1234.5 | 2025-03-01',
    })
    const seeded = [...engine.items.values()].filter(({ title }) => / \d+\.(xlsx|pptx)$/.test(title))
    const openings = seeded.map(({ body }) => body.slice(0, 8)).toSorted()
    expect(openings).toEqual(['# Sheet1', '# Slide '])
  })

  it('stores folder, author, dates, link and access policy of a file', async () => {
    const { google, engine } = await connect()
    const folder = google.drive.createFolder('Plans', google.drive.createFolder('Office'))
    const permissions = [
      { id: 'p1', type: 'user' as const, emailAddress: google.account },
      { id: 'p2', type: 'domain' as const, domain: 'acme.example', allowFileDiscovery: true },
    ]
    const id = google.drive.create({
      name: 'Move',
      content: 'We move in May.',
      folderId: folder,
      permissions,
    })
    await engine.run()
    const item = engine.items.get(`my/${id}`)
    expect(item).toMatchObject({
      sourceKind: 'document',
      title: 'Move',
      body: 'We move in May.',
      url: `https://drive.google.com/file/d/${id}/view`,
      authorName: 'Demo User',
      metadata: {
        workspace: 'acme.example',
        folder: 'My Drive / Office / Plans',
        sender: 'Demo User',
        senderEmail: google.account,
        fileId: id,
        accessPolicy: { visibility: 'restricted', users: [google.account], domains: ['acme.example'] },
      },
    })
    expect(item?.sourceUpdatedAt?.getTime()).toBe(google.drive.get(id)?.modifiedAt)
  })

  it("gives files of a shared drive the drive's members as readers, since the files carry no permissions", async () => {
    const { google, engine } = await connect({ sharedDrives: 1 })
    google.drive.create({ name: 'Team notes', content: 'Ours.', driveId: google.drive.driveId(1) })
    await engine.run()
    expect(byTitle(engine, 'Team notes')?.metadata).toMatchObject({
      drive: 'Team 1',
      folder: 'Team 1',
      accessPolicy: { visibility: 'restricted', groups: [google.drive.driveId(1)] },
    })
  })

  it('stores a file without a policy when Google hides its permissions', async () => {
    const { google, engine } = await connect({ sharedDrives: 1 })
    google.drive.create({ name: 'Team notes', content: 'Ours.', driveId: google.drive.driveId(1) })
    google.faults.add({ path: '/permissions', status: 403, body: refusal('insufficientFilePermissions') })
    await engine.run()
    expect(byTitle(engine, 'Team notes')?.metadata).not.toHaveProperty('accessPolicy')
  })

  it('reads spreadsheets, emails and OpenDocument files as the command line does', async () => {
    const { google, engine } = await connect()
    const odt = await sampleOdt('<text:h text:outline-level="2">Steps</text:h><text:p>Pack.</text:p>')
    const table = 'Item,Cost\nDesk,1200\n'
    const files = [
      ['sheet', 'application/vnd.google-apps.spreadsheet', table],
      ['costs.csv', 'text/csv', table],
      ['plan.odt', 'application/vnd.oasis.opendocument.text', odt],
      ['hello.eml', 'message/rfc822', 'From: a@example.com\r\nSubject: Hello\r\n\r\nHi there.'],
      ['page.html', 'text/html', '<h1>Plan</h1><pre>a\n  b</pre>'],
    ] as const
    for (const [name, mimeType, content] of files) google.drive.create({ name, mimeType, content })
    await engine.run()
    expect(Object.fromEntries(files.map(([name]) => [name, byTitle(engine, name)?.body]))).toEqual({
      sheet: '# Sheet1\n\n- Item: Desk; Cost: 1200',
      'costs.csv': '- Item: Desk; Cost: 1200',
      'plan.odt': '## Steps\n\nPack.',
      'hello.eml': 'From: a@example.com\n\nHi there.',
      'page.html': '# Plan\n\n```\na\n  b\n```',
    })
  })

  it('drops images from an exported document', async () => {
    const { google, engine } = await connect()
    const content = 'Look: ![][image1] here.\n\n[image1]: <data:image/png;base64,iVBORw0KGgo=>\n'
    google.drive.create({ name: 'Illustrated', content })
    await engine.run()
    expect(byTitle(engine, 'Illustrated')?.body).toBe('Look:  here.')
  })
})

describe('changes in a Drive', () => {
  it('reach the next run: new, edited, renamed, trashed, restored, deleted and unshared files', async () => {
    const { google, engine } = await connect()
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) =>
      google.drive.create({ name, content: `text of ${name}` }),
    )
    await engine.run()
    expect(titles(engine)).toEqual(['a', 'b', 'c', 'd'])
    google.drive.update(a ?? '', { content: 'edited' })
    google.drive.trash(b ?? '')
    google.drive.remove(c ?? '')
    google.drive.unshare(d ?? '')
    google.drive.create({ name: 'e', content: 'new' })
    const { deleted } = await engine.run()
    expect(deleted.length).toBe(3)
    expect(titles(engine)).toEqual(['a', 'e'])
    expect(byTitle(engine, 'a')?.body).toBe('edited')
    google.drive.untrash(b ?? '')
    google.drive.update(a ?? '', { name: 'A' })
    await engine.run()
    expect(titles(engine)).toEqual(['A', 'b', 'e'])
  })

  it('cost a handful of requests when there are none', async () => {
    const { google, engine } = await connect({ files: 60, folders: 9, sharedDrives: 2 })
    await engine.run()
    google.requests.reset()
    const { ingested, deleted, discovered } = await engine.run()
    expect({ ingested, deleted, discovered }).toEqual({ ingested: [], deleted: [], discovered: 0 })
    // One list of drives and one list of changes for each of three feeds.
    expect(google.requests.total).toBe(4)
  })

  it('update the access policy when only permissions changed', async () => {
    const { google, engine } = await connect()
    const id = google.drive.create({ name: 'Pay', content: 'secret' })
    await engine.run()
    const before = byTitle(engine, 'Pay')
    google.drive.update(id, {
      permissions: [{ id: 'anyoneWithLink', type: 'anyone', allowFileDiscovery: false }],
    })
    await engine.run()
    const after = byTitle(engine, 'Pay')
    expect(after?.sourceUpdatedAt).toEqual(before?.sourceUpdatedAt)
    expect(before?.metadata.accessPolicy).toEqual({ visibility: 'private', users: [google.account] })
    expect(after?.metadata.accessPolicy).toEqual({ visibility: 'public' })
  })

  it('of a folder update the files in it, at any depth', async () => {
    const { google, engine } = await connect()
    const outer = google.drive.createFolder('Outer')
    const inner = google.drive.createFolder('Inner', outer)
    google.drive.create({ name: 'deep', content: 'down here', folderId: inner })
    google.drive.create({ name: 'beside', content: 'up here' })
    await engine.run()
    google.drive.update(outer, { name: 'Renamed' })
    await engine.run()
    expect(byTitle(engine, 'deep')?.metadata.folder).toBe('My Drive / Renamed / Inner')
    google.drive.trash(outer)
    await engine.run()
    expect(titles(engine)).toEqual(['beside'])
    google.drive.untrash(outer)
    await engine.run()
    expect(titles(engine)).toEqual(['beside', 'deep'])
    google.drive.unshare(outer)
    await engine.run()
    expect(titles(engine)).toEqual(['beside'])
  })

  it('between My Drive and a shared drive leave one item, in either direction', async () => {
    const { google, engine } = await connect({ sharedDrives: 1 })
    const team = google.drive.driveId(1)
    const id = google.drive.create({ name: 'Nomad', content: 'on the way' })
    await engine.run()
    google.drive.update(id, { driveId: team, parent: team })
    await engine.run()
    expect([...engine.items.keys()]).toEqual([`${team}/${id}`])
    google.drive.update(id, { driveId: null, parent: null })
    await engine.run()
    expect([...engine.items.keys()]).toEqual([`my/${id}`])
  })

  it('remove everything of a shared drive when the account leaves it, and restore it on rejoining', async () => {
    const { google, engine } = await connect({ files: 60, sharedDrives: 2 })
    await engine.run()
    const all = new Set(engine.items.keys())
    const team = google.drive.driveId(1)
    google.drive.leaveDrive(team)
    await engine.run()
    expect([...engine.items.keys()].filter((id) => id.startsWith(team))).toEqual([])
    expect(engine.items.size).toBe([...all].filter((id) => !id.startsWith(team)).length)
    google.drive.joinDrive(team)
    await engine.run()
    expect(new Set(engine.items.keys())).toEqual(all)
  })

  it('remove a file that no longer has readable content', async () => {
    const { google, engine } = await connect()
    const id = google.drive.create({ name: 'Emptied', content: 'words' })
    await engine.run()
    google.drive.update(id, { content: '  ' })
    await engine.run()
    expect(engine.items.size).toBe(0)
  })

  it('that runs missed are found by a full resync, which also removes deleted files', async () => {
    const { google, engine } = await connect({ files: 20 })
    await engine.run()
    const size = engine.items.size
    google.drive.remove(google.drive.fileId(0))
    google.drive.expireChangeTokens()
    await expect(engine.run()).rejects.toMatchObject({ kind: 'cursor_expired' })
    expect(engine.items.size).toBe(size)
    engine.now += 60_000
    await engine.run({ fullResync: true })
    expect(engine.items.size).toBe(size - 1)
  })
})

describe('a shortcut', () => {
  it('to a file that is already stored adds nothing', async () => {
    const { google, engine } = await connect()
    const id = google.drive.create({ name: 'Target', content: 'once' })
    google.drive.createShortcut('Target link', id)
    await engine.run()
    expect([...engine.items.keys()]).toEqual([`my/${id}`])
  })

  it('to an unlisted file stores it and its later versions until the shortcut or the target is deleted', async () => {
    const { google, engine } = await connect()
    const target = google.drive.create({ name: 'Elsewhere', content: 'v1', unlisted: true })
    const shortcut = google.drive.createShortcut('link', target)
    await engine.run()
    expect(engine.items.get(`my/${shortcut}/${target}`)?.body).toBe('v1')
    google.drive.update(target, { content: 'v2', name: 'Elsewhere 2' })
    await engine.run()
    expect(engine.items.get(`my/${shortcut}/${target}`)?.body).toBe('v2')
    google.drive.remove(target)
    await engine.run()
    expect(engine.items.size).toBe(0)
    const other = google.drive.create({ name: 'Other', content: 'x', unlisted: true })
    const link = google.drive.createShortcut('link 2', other)
    await engine.run()
    expect(engine.items.size).toBe(1)
    google.drive.remove(link)
    await engine.run()
    expect(engine.items.size).toBe(0)
  })

  it('beyond the remembered number still deletes its content when deleted', async () => {
    const { google, engine } = await connect()
    const target = google.drive.create({ name: 'Elsewhere', content: 'v1', unlisted: true })
    const links = Array.from({ length: 202 }, (_, index) =>
      google.drive.createShortcut(`link ${index}`, target),
    )
    await engine.run()
    expect(engine.items.size).toBe(202)
    for (const link of links) google.drive.remove(link)
    await engine.run()
    expect(engine.items.size).toBe(0)
  })

  it('to an unlisted file follows its permissions', async () => {
    const { google, engine } = await connect()
    const target = google.drive.create({ name: 'Elsewhere', content: 'v1', unlisted: true })
    google.drive.createShortcut('link', target)
    await engine.run()
    google.drive.update(target, { permissions: [{ id: 'anyoneWithLink', type: 'anyone' }] })
    await engine.run()
    expect(byTitle(engine, 'Elsewhere')?.metadata.accessPolicy?.visibility).toBe('public')
  })

  it('to a folder of any size lists only as much of it as is read', async () => {
    const { google, engine } = await connect()
    const folder = google.drive.create({
      name: 'Their folder',
      mimeType: 'application/vnd.google-apps.folder',
      unlisted: true,
    })
    for (let count = 0; count < 2_000; count += 1)
      google.drive.create({ name: `${count}`, content: 'text', folderId: folder, unlisted: true })
    await engine.run()
    google.drive.createShortcut('in', folder)
    google.requests.reset()
    await engine.run()
    expect(engine.items.size).toBe(500)
    // 700 entries in pages of 100, once for the change and once for the check at the end.
    expect(google.requests.byPath()['/drive/v3/files']).toBe(14)
  })

  it('to a folder that contains itself stores each file once and ends', async () => {
    const { google, engine } = await connect()
    const stranger = google.drive.create({
      name: 'Their folder',
      mimeType: 'application/vnd.google-apps.folder',
      unlisted: true,
    })
    google.drive.create({ name: 'theirs', content: 'text', folderId: stranger, unlisted: true })
    google.drive.createShortcut('round and round', stranger, stranger)
    google.drive.createShortcut('in', stranger)
    await engine.run()
    expect(titles(engine)).toEqual(['theirs'])
  })
})
