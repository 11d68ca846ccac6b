import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { GoogleEmulatorOptions } from '../../../../emulators/google/google-emulator.ts'
import { byTitle, closeGoogles, connectGoogle, refusal, titles } from '../../../../test/support/google.ts'
import { createGoogleDriveAdapter, GOOGLE_DRIVE_SCOPE } from './adapter.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterEach(closeGoogles)
afterAll(() => extractor.close())

const connect = (options: GoogleEmulatorOptions = {}) =>
  connectGoogle(
    (settings, clock) => createGoogleDriveAdapter({ settings, clock, extractor }),
    GOOGLE_DRIVE_SCOPE,
    options,
  )

const DRIVES = '/drive/v3/drives'

/** An account with one file of its own and one in a shared drive, both stored. */
async function connectBoth() {
  const connected = await connect({ sharedDrives: 1 })
  const { google, engine } = connected
  const team = google.drive.driveId(1)
  const mine = google.drive.create({ name: 'mine', content: 'my words' })
  const ours = google.drive.create({ name: 'ours', content: 'our words', driveId: team })
  await engine.run()
  expect(titles(engine)).toEqual(['mine', 'ours'])
  return { ...connected, team, mine, ours }
}

describe('a refused list of shared drives', () => {
  it.each([403, 404])(
    'with %i does not count as their removal, and changes keep arriving',
    async (status) => {
      const { google, engine, ours } = await connectBoth()
      google.faults.add({ path: DRIVES, status, body: refusal('forbidden', status) })
      google.drive.update(ours, { content: 'newer words' })
      const { failures, deleted } = await engine.run()
      expect([failures, deleted]).toEqual([[], []])
      expect(byTitle(engine, 'ours')?.body).toBe('newer words')
    },
  )

  it('does not stop a full resync from reading the drives with stored items', async () => {
    const { google, engine, ours } = await connectBoth()
    google.faults.add({ path: DRIVES, status: 403, body: refusal('forbidden') })
    google.drive.update(ours, { content: 'newer words' })
    engine.now += 60_000
    expect((await engine.run({ fullResync: true })).deleted).toEqual([])
    expect(byTitle(engine, 'ours')?.body).toBe('newer words')
  })

  it("leaves the account's own files in place", async () => {
    const { google, engine } = await connect()
    google.faults.add({ path: DRIVES, status: 404, body: refusal('notFound', 404) })
    google.drive.create({ name: 'mine', content: 'my words' })
    expect((await engine.run()).failures).toEqual([])
    expect(titles(engine)).toEqual(['mine'])
  })

  it('without the drive of an item keeps it in a single read, because no later run would read it again', async () => {
    const { google, engine, team, ours } = await connectBoth()
    const id = byTitle(engine, 'ours')?.externalId ?? ''
    google.drive.leaveDrive(team)
    await expect(engine.reread(id)).rejects.toMatchObject({ kind: 'rejected' })
    google.drive.joinDrive(team)
    await engine.run()
    expect(titles(engine)).toEqual(['mine', 'ours'])
    google.drive.trash(ours)
    expect((await engine.reread(id)).deletions).toEqual([id])
  })

  it('that is only late costs nothing: the run checks a drive before deleting it', async () => {
    const { google, engine } = await connectBoth()
    google.faults.add({ path: DRIVES, times: 1, status: 200, body: { drives: [] } })
    expect((await engine.run()).deleted).toEqual([])
  })

  it('that is only late costs nothing in a full resync either, even a resumed one', async () => {
    const { google, engine } = await connectBoth()
    const late = () => google.faults.add({ path: DRIVES, times: 1, status: 200, body: { drives: [] } })
    late()
    engine.now += 60_000
    expect((await engine.run({ fullResync: true })).deleted).toEqual([])
    expect(titles(engine)).toEqual(['mine', 'ours'])
    await engine.run({ fullResync: true, dieAfter: 1 })
    late()
    expect((await engine.run()).deleted).toEqual([])
    expect(titles(engine)).toEqual(['mine', 'ours'])
  })
})

describe('a shared drive that is left and joined again', () => {
  it('during the first crawl is read too', async () => {
    const { google, engine } = await connect({ files: 110, sharedDrives: 1 })
    const team = google.drive.driveId(1)
    google.drive.create({ name: 'ours', content: 'our words', driveId: team })
    await engine.run({ dieAfter: 1 })
    google.drive.leaveDrive(team)
    await engine.run({ dieAfter: 1 })
    google.drive.joinDrive(team)
    await engine.run()
    await engine.run()
    expect(byTitle(engine, 'ours')?.body).toBe('our words')
  })
})

describe('a shared drive that refuses', () => {
  it('its listing keeps its stored items through a full resync, and is read again later', async () => {
    const { google, engine, team, mine, ours } = await connectBoth()
    google.faults.add({
      contains: `driveId=${team}`,
      path: '/files',
      status: 403,
      body: refusal('forbidden'),
    })
    google.drive.remove(mine)
    google.drive.create({ name: 'other', content: 'my other words' })
    engine.now += 60_000
    const { failures } = await engine.run({ fullResync: true })
    expect(failures).toMatchObject([{ externalId: `${team}/`, message: 'the words of forbidden' }])
    expect(byTitle(engine, 'ours')?.body).toBe('our words')
    await engine.run()
    expect(titles(engine)).toEqual(['other', 'ours'])
    google.drive.update(ours, { content: 'newer words' })
    google.faults.clear()
    expect((await engine.run()).failures).toEqual([])
    expect(byTitle(engine, 'ours')?.body).toBe('newer words')
    google.requests.reset()
    await engine.run()
    expect(google.requests.total).toBe(3)
  })

  it('its change token is recorded while the others go on, and is read in a later run', async () => {
    const { google, engine } = await connect({ sharedDrives: 1 })
    const team = google.drive.driveId(1)
    google.drive.create({ name: 'mine', content: 'my words' })
    google.drive.create({ name: 'ours', content: 'our words', driveId: team })
    google.faults.add({
      contains: `driveId=${team}`,
      path: 'startPageToken',
      status: 403,
      body: refusal('forbidden'),
    })
    await engine.run()
    const { failures } = await engine.run()
    expect(failures).toMatchObject([{ externalId: `${team}/`, message: 'the words of forbidden' }])
    expect(titles(engine)).toEqual(['mine'])
    google.faults.clear()
    await engine.run()
    expect(titles(engine)).toEqual(['mine', 'ours'])
  })
})

describe('a full resync whose list Google calls incomplete', () => {
  it('does not remove unseen items', async () => {
    const { google, engine, mine } = await connectBoth()
    const file = google.drive.get(mine)
    google.faults.add({
      path: '/drive/v3/files',
      contains: 'corpora=user',
      times: 1,
      status: 200,
      body: { incompleteSearch: true, files: [] },
    })
    engine.now += 60_000
    expect((await engine.run({ fullResync: true })).deleted).toEqual([])
    expect(byTitle(engine, 'mine')?.title).toBe(file?.name)
  })
})

describe('what files inherit from their shared drive', () => {
  it('is read again when the drive is renamed', async () => {
    const { google, engine, team } = await connectBoth()
    google.drive.renameDrive(team, 'Launch')
    await engine.run()
    expect(byTitle(engine, 'ours')?.metadata).toMatchObject({ drive: 'Launch', folder: 'Launch' })
    google.requests.reset()
    await engine.run()
    expect(google.requests.total).toBe(3)
  })

  it('is not read again when its members change: they are a group', async () => {
    const { google, engine, team } = await connectBoth()
    google.drive.setMembers(team, [{ id: 'p1', type: 'domain', domain: 'acme.example' }])
    google.requests.reset()
    engine.now += DAY_MS
    expect((await engine.run()).ingested).toEqual([])
    expect(google.requests.total).toBe(3)
  })
})

describe('a folder that moves', () => {
  it('into a shared drive moves its files too, each stored once', async () => {
    const { google, engine } = await connect({ sharedDrives: 1 })
    const team = google.drive.driveId(1)
    const folder = google.drive.createFolder('Plans')
    const file = google.drive.create({ name: 'plan', content: 'words', folderId: folder })
    await engine.run()
    google.drive.update(folder, { driveId: team, parent: team })
    await engine.run()
    expect([...engine.items.keys()]).toEqual([`${team}/${file}`])
    google.drive.remove(folder)
    await engine.run()
    expect(engine.items.size).toBe(0)
  })

  it('out of one and is deleted later deletes its files too', async () => {
    const { google, engine } = await connect({ sharedDrives: 1 })
    const team = google.drive.driveId(1)
    const folder = google.drive.createFolder('Plans', team)
    const file = google.drive.create({ name: 'plan', content: 'words', folderId: folder })
    await engine.run()
    google.drive.update(folder, { driveId: null, parent: null })
    await engine.run()
    expect([...engine.items.keys()]).toEqual([`my/${file}`])
    google.drive.unshare(folder)
    await engine.run()
    expect(engine.items.size).toBe(0)
  })

  it('into view stores its subfolders, which are removed when they leave it', async () => {
    const { google, engine } = await connect()
    const outer = google.drive.createFolder('Outer')
    const inner = google.drive.createFolder('Inner', outer)
    google.drive.create({ name: 'deep', content: 'words', folderId: inner })
    google.drive.trash(outer)
    await engine.run()
    google.drive.untrash(outer)
    await engine.run()
    expect(titles(engine)).toEqual(['deep'])
    google.drive.unshare(inner)
    await engine.run()
    expect(engine.items.size).toBe(0)
  })
})
