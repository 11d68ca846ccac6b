import { afterAll, describe, expect, it } from 'vitest'
import type { EmulatedItem, Grant } from '../../../../emulators/microsoft/drive-state.ts'
import { TENANT } from '../../../../emulators/microsoft/people.ts'
import { connectForTest, type MicrosoftAccountOptions } from '../../../../test/support/microsoft.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createOneDriveAdapter, ONEDRIVE_SCOPES } from './adapter.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

async function connect(options: Partial<MicrosoftAccountOptions> = {}) {
  const account = await connectForTest({
    scopes: ONEDRIVE_SCOPES,
    createAdapter: (settings, clock) =>
      createOneDriveAdapter({ settings, clock, extractor, itemsPerPage: 5 }),
    ...options,
  })
  const { microsoft, sync } = account
  return {
    ...account,
    files: microsoft.files,
    drive: microsoft.drive,
    stored: ({ driveId, id }: EmulatedItem) => sync.items.get(`${driveId}/${id}`),
    titles: () => [...sync.items.values()].map(({ title }) => title).toSorted(),
  }
}

describe('an item', () => {
  it('has the fields of its file, and the path of its folders', async () => {
    const { files, drive, sync, stored } = await connect()
    const plans = files.folder(drive, 'Plans & goals')
    const quarter = files.folder(drive, '2026 Q1', { parentId: plans.id })
    const file = files.add(drive, { name: 'Goals.txt', content: 'Sell more.', parentId: quarter.id })
    await sync.run()
    expect(stored(file)).toEqual({
      externalId: `${drive.id}/${file.id}`,
      sourceKind: 'file',
      title: 'Goals.txt',
      body: 'Sell more.',
      url: `https://acme.sharepoint.example/${file.id}`,
      authorName: 'Ada',
      sourceCreatedAt: new Date(file.createdAt),
      sourceUpdatedAt: new Date(file.changedAt),
      metadata: {
        workspace: 'acme.example',
        fileId: file.id,
        mimeType: 'text/plain',
        driveId: drive.id,
        drive: 'OneDrive',
        folder: 'Plans & goals / 2026 Q1',
        sender: 'Ada',
        senderEmail: 'ada@acme.example',
        permalink: `https://acme.sharepoint.example/${file.id}`,
        accessPolicy: { visibility: 'private', users: ['ada@acme.example'] },
      },
    })
  })

  it('of a library names the site and the library', async () => {
    const { files, sync, stored } = await connect()
    const library = files.createDrive('Documents', files.createSite('hr'), [])
    const file = files.add(library, { parentId: files.folder(library, 'Leave').id })
    await sync.run()
    expect(stored(file)?.metadata).toMatchObject({
      site: 'The hr site',
      drive: 'Documents',
      folder: 'The hr site / Documents / Leave',
    })
  })

  it('is skipped with the reason if it has nothing to read', async () => {
    const { files, drive, sync } = await connect()
    files.add(drive, { kind: 'package', name: 'Notebook' })
    files.add(drive, { kind: 'shortcut', name: 'Shared' })
    files.add(drive, { name: 'Film.mp4', mimeType: 'video/mp4' })
    files.add(drive, { name: 'Empty.txt', content: '' })
    const report = await sync.run()
    expect(report.failures).toEqual([])
    expect(report.skipped.map(({ title, message }) => `${title}: ${message}`).toSorted()).toEqual([
      'Empty.txt: it has no text',
      'Film.mp4: files of type video/mp4 are not read',
      'Notebook: packages of type oneNote are not read',
      'Shared: shortcuts to other drives are not followed',
    ])
    expect(sync.items.size).toBe(0)
  })

  it('is a failure when the file is larger than the limit, and is not downloaded', async () => {
    const { files, drive, sync, microsoft } = await connect({ limits: { maxDownloadBytes: 1024 * 1024 } })
    files.add(drive, { content: 'x'.repeat(1024 * 1024 + 1) })
    const { failures } = await sync.run()
    expect(failures).toMatchObject([{ message: 'The file is larger than 1 MiB and is not read' }])
    expect(Object.keys(microsoft.requests.byPath()).some((path) => path.startsWith('/download/'))).toBe(false)
  })
})

describe('a file in an unknown format', () => {
  it('is a failure, or ignored without an id, and keeps no other from being read', async () => {
    const { files, drive, sync, stored, titles } = await connect()
    for (let count = 0; count < 4; count += 1) files.add(drive, { odd: { size: 'large' } })
    files.add(drive, { odd: { id: 7 } })
    files.add(drive, { name: 'First.txt' })
    const { failures, complete } = await sync.run()
    expect(complete).toBe(true)
    expect(failures.map(({ message }) => message)).toEqual(
      Array.from({ length: 4 }, () => 'Microsoft answered in an unknown format (size)'),
    )
    const second = files.add(drive, { name: 'Second.txt' })
    expect((await sync.run()).complete).toBe(true)
    expect(titles()).toEqual(['First.txt', 'Second.txt'])
    files.edit(second, { content: 'New.' })
    second.odd = { size: 'large' }
    expect((await sync.run()).deleted).toEqual([])
    files.expireTokens(drive)
    expect((await sync.run()).deleted).toEqual([])
    expect(stored(second)?.body).toBe('Some text.')
    second.odd = {}
    await sync.run()
    expect(stored(second)?.body).toBe('New.')
  })
})

describe('changes', () => {
  it('of one file read only that file', async () => {
    const { files, drive, sync, microsoft } = await connect()
    const folder = files.folder(drive, 'Plans')
    const [first] = Array.from({ length: 4 }, () => files.add(drive, { parentId: folder.id }))
    if (first === undefined) throw new Error('there is no file')
    await sync.run()
    files.edit(first, { content: 'New.' })
    microsoft.requests.reset()
    expect((await sync.run()).ingested).toEqual([`${drive.id}/${first.id}`])
    const items = Object.keys(microsoft.requests.byPath()).filter((path) => path.includes('/items/'))
    expect(items).toEqual([
      `/v1.0/drives/${drive.id}/items/${first.id}`,
      `/v1.0/drives/${drive.id}/items/${first.id}/permissions`,
    ])
  })

  it('of a folder reach the files at any depth below it', async () => {
    const { files, drive, sync, stored, titles } = await connect()
    const outer = files.folder(drive, 'Old')
    const inner = files.folder(drive, 'Inner', { parentId: outer.id })
    const many = Array.from({ length: 7 }, () => files.add(drive, { parentId: inner.id }))
    const [first] = many
    if (first === undefined) throw new Error('there is no file')
    await sync.run()
    files.edit(outer, { name: 'New' })
    await sync.run()
    expect(many.map((file) => stored(file)?.metadata.folder)).toEqual(many.map(() => 'New / Inner'))
    files.share(outer, { grants: [{ user: 'bob' }] }, true)
    await sync.run()
    expect(stored(first)?.metadata.accessPolicy?.users).toEqual(['ada@acme.example', 'bob@acme.example'])
    files.remove(outer)
    expect((await sync.run()).deleted).toHaveLength(7)
    files.restore(outer)
    await sync.run()
    expect(titles()).toHaveLength(7)
    files.hide(inner)
    await sync.run()
    expect(titles()).toEqual([])
  })

  it('whose token has expired are crawled, and missing files are removed', async () => {
    const { files, drive, sync, titles } = await connect()
    const [first] = Array.from({ length: 12 }, (_unused, index) =>
      files.add(drive, { name: `${String.fromCodePoint(97 + index)}.txt` }),
    )
    if (first === undefined) throw new Error('there is no file')
    await sync.run()
    files.remove(first)
    files.expireTokens(drive)
    const report = await sync.run()
    expect(report).toMatchObject({ deleted: [`${drive.id}/${first.id}`], failures: [], complete: true })
    expect(titles()).toHaveLength(11)
    expect(await sync.run()).toMatchObject({ discovered: 0, deleted: [] })
  })

  it('whose token is not found, which lasts, are crawled', async () => {
    const { files, drive, sync, titles, microsoft } = await connect()
    const [first] = ['a.txt', 'b.txt'].map((name) => files.add(drive, { name }))
    if (first === undefined) throw new Error('there is no file')
    await sync.run()
    const token = /delta\?token=([^"&]+)/.exec(JSON.stringify(sync.cursor))?.[1]
    if (token === undefined) throw new Error('there is no token')
    microsoft.faults.add({ path: '/root/delta', contains: decodeURIComponent(token), status: 404 })
    files.remove(first)
    files.add(drive, { name: 'c.txt' })
    expect(await sync.run()).toMatchObject({ failures: [], complete: true })
    expect(titles()).toEqual(['b.txt', 'c.txt'])
    expect(await sync.run()).toMatchObject({ discovered: 0, deleted: [] })
  })

  it('follow the sites: a new one is read, and one that is no longer followed is removed', async () => {
    const { files, drive, sync, titles } = await connect()
    files.add(drive, { name: 'mine.txt' })
    await sync.run()
    const site = files.createSite('hr')
    const library = files.createDrive('Documents', site, [])
    for (const name of ['a.txt', 'b.txt']) files.add(library, { name })
    await sync.run()
    expect(titles()).toEqual(['a.txt', 'b.txt', 'mine.txt'])
    site.isFollowed = false
    await sync.run()
    expect(titles()).toEqual(['mine.txt'])
    site.isFollowed = true
    await sync.run()
    expect(titles()).toEqual(['a.txt', 'b.txt', 'mine.txt'])
    site.isClosed = true
    await sync.run()
    expect(titles()).toEqual(['mine.txt'])
  })

  it('keep the item that a single read cannot reach, because no later run would read it again', async () => {
    const { files, sync, titles, stored } = await connect()
    const site = files.createSite('hr')
    const file = files.add(files.createDrive('Documents', site, []), { name: 'theirs.txt' })
    await sync.run()
    const id = stored(file)?.externalId ?? ''
    for (const closed of [{ isClosed: true }, { isFollowed: false }]) {
      Object.assign(site, closed)
      await expect(sync.reread(id)).rejects.toMatchObject({ kind: 'rejected' })
      Object.assign(site, { isClosed: false, isFollowed: true })
      await sync.run()
      expect(titles()).toEqual(['theirs.txt'])
    }
    site.isClosed = true
    await sync.run()
    expect(titles()).toEqual([])
  })

  it('leave out a file that failed while its site was followed, and can be read later', async () => {
    const { files, drive, sync, titles, microsoft } = await connect({ limits: { maxAttempts: 1 } })
    files.add(drive, { name: 'mine.txt' })
    const site = files.createSite('hr')
    const theirs = files.add(files.createDrive('Documents', site, []), { name: 'theirs.txt' })
    microsoft.faults.add({ path: `/items/${theirs.id}`, status: 500 })
    await sync.run()
    site.isFollowed = false
    await sync.run()
    microsoft.faults.clear()
    await sync.run()
    expect(titles()).toEqual(['mine.txt'])
  })
})

describe('readers', () => {
  const cases: [string, Grant[], object][] = [
    ['the owner alone', [], { visibility: 'private', users: ['ada@acme.example'] }],
    [
      'people, by the address of their profile too',
      [{ user: 'bob' }, { user: 'cy', roles: ['write'] }],
      { visibility: 'restricted', users: ['ada@acme.example', 'bob@acme.example', 'cy@acme.example'] },
    ],
    [
      'a group, by its address',
      [{ group: { id: 'G-1', displayName: 'Leads', email: 'Leads@acme.example' } }],
      { visibility: 'restricted', users: ['ada@acme.example'], groups: ['leads@acme.example'] },
    ],
    [
      'a group without an address, by its ID',
      [{ group: { id: 'G-1', displayName: 'Leads' } }],
      { visibility: 'restricted', users: ['ada@acme.example'], groups: ['g-1'] },
    ],
    ['anyone with a link', [{ link: 'anonymous' }], { visibility: 'public' }],
    [
      'the organization with a link',
      [{ link: 'organization' }],
      { visibility: 'restricted', users: ['ada@acme.example'], groups: [TENANT] },
    ],
    [
      'everyone except external users',
      [{ isForAll: true }],
      { visibility: 'restricted', users: ['ada@acme.example'], groups: [TENANT] },
    ],
    [
      'people of a link',
      [{ link: 'users', people: ['bob'] }],
      { visibility: 'restricted', users: ['ada@acme.example', 'bob@acme.example'] },
    ],
    [
      'whoever is invited',
      [{ invited: 'Guest@Other.example' }],
      { visibility: 'restricted', users: ['ada@acme.example', 'guest@other.example'] },
    ],
    [
      'nobody by a link for those with access or for uploads, a password, an end or another role',
      [
        { link: 'existingAccess' },
        { link: 'anonymous', linkType: 'createOnly', roles: ['write'] },
        { link: 'organization', linkType: 'createOnly', roles: ['write'] },
        { link: 'anonymous', hasPassword: true },
        { user: 'bob', expirationDateTime: '2027-01-01T00:00:00Z' },
        { user: 'cy', roles: ['restrictedView'] },
      ],
      { visibility: 'private', users: ['ada@acme.example'] },
    ],
  ]
  it.each(cases)('are %s', async (_who, grants, policy) => {
    const { files, drive, sync, stored } = await connect()
    const folder = files.folder(drive, 'Shared', { grants })
    const file = files.add(drive, { parentId: folder.id })
    await sync.run()
    expect(stored(file)?.metadata.accessPolicy).toEqual(policy)
  })

  it('of a library are the groups of its site, and the account itself', async () => {
    const { files, sync, stored } = await connect()
    const library = files.createDrive('Documents', files.createSite('hr'), [
      { siteGroup: 'HR Members' },
      { user: 'bob' },
    ])
    const file = files.add(library)
    await sync.run()
    // Those who do not own a file see no permissions of others.
    expect(stored(file)?.metadata.accessPolicy).toEqual({
      visibility: 'restricted',
      users: ['ada@acme.example'],
      groups: ['acme.sharepoint.example/sites/hr/HR Members'],
    })
  })

  it('are only the account when Graph refuses the list', async () => {
    const { files, drive, sync, stored, microsoft } = await connect()
    const file = files.add(drive, { grants: [{ link: 'anonymous' }] })
    microsoft.faults.add({ path: '/permissions', status: 403 })
    await sync.run()
    expect(stored(file)?.metadata.accessPolicy).toEqual({
      visibility: 'private',
      users: ['ada@acme.example'],
    })
  })

  it('of a file whose content cannot be read are narrowed by the run that reads the change', async () => {
    const { files, drive, sync, stored, microsoft } = await connect({ limits: { maxAttempts: 1 } })
    const file = files.add(drive, { grants: [{ user: 'bob' }] })
    await sync.run()
    files.share(file, { grants: [] }, true)
    microsoft.faults.add({ path: '/download/', status: 500 })
    expect((await sync.run()).failures).toHaveLength(1)
    expect(stored(file)?.metadata.accessPolicy).toEqual({
      visibility: 'private',
      users: ['ada@acme.example'],
    })
  })

  it('that change are found by a poll, whether Graph reports the change or not', async () => {
    const { files, drive, sync, adapter } = await connect()
    const folder = files.folder(drive, 'Plans')
    const below = files.add(drive, { parentId: folder.id })
    const other = files.add(drive)
    const gone = files.add(drive)
    await sync.run()
    files.share(folder, { grants: [{ user: 'bob' }] }, true)
    files.share(other, { grants: [{ user: 'cy' }] })
    files.remove(gone)
    const { policies, groups, groupIds, needsRun } = await readPermissions(adapter, sync.session, sync.cursor)
    const idOf = ({ id }: EmulatedItem) => `${drive.id}/${id}`
    expect(policies.get(idOf(below))).toMatchObject({ users: ['ada@acme.example', 'bob@acme.example'] })
    expect(policies.get(idOf(other))).toMatchObject({ users: ['ada@acme.example', 'cy@acme.example'] })
    expect(policies.get(idOf(gone))).toBe(null)
    expect(Object.fromEntries(groups)).toMatchObject({
      [TENANT]: { domains: ['acme.example', 'acme.onmicrosoft.example'] },
    })
    expect({ groupIds, needsRun }).toEqual({ groupIds: [TENANT], needsRun: true })
  })

  it('below a folder that changed, and of an expired token and a lost site need a run', async () => {
    const { files, drive, sync, adapter } = await connect()
    const folder = files.folder(drive, 'Plans')
    const site = files.createSite('hr')
    files.createDrive('Documents', site, [])
    const poll = async () => (await readPermissions(adapter, sync.session, sync.cursor)).needsRun
    await sync.run()
    expect(await poll()).toBe(false)
    files.edit(folder, { name: 'Goals' })
    expect(await poll()).toBe(true)
    await sync.run()
    expect(await poll()).toBe(false)
    files.remove(folder)
    expect(await poll()).toBe(true)
    await sync.run()
    files.expireTokens(drive)
    expect(await poll()).toBe(true)
    await sync.run()
    expect(await poll()).toBe(false)
    site.isFollowed = false
    expect(await poll()).toBe(true)
  })
})
