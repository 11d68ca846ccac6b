import * as fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { brokenPdf, pdfBomb, wordBomb } from '../../../../emulators/google/file-formats.ts'
import type { GoogleEmulatorOptions } from '../../../../emulators/google/google-emulator.ts'
import { byTitle, closeGoogles, connectGoogle, refusal, titles } from '../../../../test/support/google.ts'
import { createProviderHarness } from '../../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
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

const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

describe('an unreadable file', () => {
  it('that is broken or expands endlessly is recorded, and the run continues', async () => {
    const { google, engine } = await connect({}, { extractMemoryMb: 96 })
    const broken = google.drive.create({ name: 'broken', mimeType: 'application/pdf', content: brokenPdf() })
    const bomb = google.drive.create({ name: 'bomb', mimeType: WORD, content: wordBomb(2048) })
    const other = google.drive.create({
      name: 'pdf bomb',
      mimeType: 'application/pdf',
      content: pdfBomb(2048),
    })
    google.drive.create({ name: 'fine', content: 'words' })
    const { failures } = await engine.run()
    expect(titles(engine)).toEqual(['fine'])
    expect(failures.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))).toMatchObject([
      { externalId: `my/${broken}`, message: expect.stringContaining('The file cannot be read: ') },
      { externalId: `my/${bomb}`, message: 'The file needs more than 96 MB to be read' },
      { externalId: `my/${other}`, message: 'The file needs more than 96 MB to be read' },
    ])
  })

  it('that is too large is not downloaded', async () => {
    const { google, engine } = await connect({}, { maxDownloadBytes: 1024 * 1024 })
    const content = new Uint8Array(1024 * 1024 + 1)
    const id = google.drive.create({ name: 'large.txt', mimeType: 'text/plain', content })
    const { failures } = await engine.run()
    expect(failures).toMatchObject([
      {
        externalId: `my/${id}`,
        title: 'large.txt',
        message: 'The file is larger than 1 MiB and is not read',
      },
    ])
    expect(google.requests.byPath()[`/drive/v3/files/${id}`]).toBeUndefined()
  })

  it('of no known type is skipped, whatever the type is called', async () => {
    const { google, engine } = await connect()
    for (const mimeType of ['constructor', 'toString', 'application/x-unknown'])
      google.drive.create({ name: 'odd', mimeType, content: 'words' })
    const { failures, skipped } = await engine.run()
    expect(failures).toEqual([])
    expect(skipped).toHaveLength(3)
  })

  it('whose Markdown export is too large is exported as plain text, and recorded when that fails too', async () => {
    const { google, engine } = await connect()
    google.drive.create({ name: 'pictures', content: 'words' })
    google.faults.add({ contains: 'text%2Fmarkdown', status: 403, body: refusal('exportSizeLimitExceeded') })
    expect((await engine.run()).failures).toEqual([])
    expect(titles(engine)).toEqual(['pictures'])
    const sheet = { name: 'sheet', mimeType: 'application/vnd.google-apps.spreadsheet', content: 'a,b\n1,2' }
    google.drive.create(sheet)
    google.faults.add({ contains: 'spreadsheetml', status: 403, body: refusal('exportSizeLimitExceeded') })
    expect((await engine.run()).failures).toEqual([])
    expect(byTitle(engine, 'sheet')?.body).toBe('- a: 1; b: 2')
    google.drive.create({ name: 'endless', content: 'x'.repeat(10 * 1024 * 1024 + 1) })
    const { failures } = await engine.run()
    expect(failures.map((failure) => failure.message)).toEqual(['This file is too large to be exported.'])
  })

  it('that gets no answer from Google is retried by the next runs, until it works', async () => {
    const { google, engine } = await connect({ files: 20 })
    google.faults.add({
      path: `${google.drive.fileId(1)}/export`,
      status: 500,
      body: refusal('backendError', 500),
    })
    const { failures } = await engine.run()
    expect(failures).toMatchObject([
      { externalId: `my/${google.drive.fileId(1)}`, message: 'the words of backendError' },
    ])
    google.faults.clear()
    const { ingested } = await engine.run()
    expect(ingested).toEqual([`my/${google.drive.fileId(1)}`])
    google.requests.reset()
    await engine.run()
    expect(google.requests.total).toBe(2)
  })

  it('does not count as an outage in any number, nor is it retried forever', async () => {
    const { google, engine } = await connect({ files: 40 }, { maxAttempts: 2 })
    google.faults.add({ path: '/export', status: 500, body: refusal('backendError', 500) })
    const { failures } = await engine.run()
    expect(failures.length).toBeGreaterThan(15)
    for (let again = 0; again < 5; again += 1) await engine.run()
    google.requests.reset()
    expect((await engine.run()).failures).toEqual([])
    expect(google.requests.total).toBe(2)
  })
})

describe('a file that Google never answers for', () => {
  it('does not fail later runs', async () => {
    const { google, engine } = await connect({}, { maxAttempts: 2 })
    const broken = google.drive.create({ name: 'broken', content: 'words' })
    const target = google.drive.create({ name: 'target', content: 'theirs', unlisted: true })
    const shortcut = google.drive.createShortcut('link', target)
    google.faults.add({ path: `${broken}/export`, status: 500, body: refusal('backendError', 500) })
    await engine.run()
    google.faults.add({ path: `/files/${broken}`, status: 500, body: refusal('backendError', 500) })
    google.faults.add({ path: `/files/${target}`, status: 500, body: refusal('backendError', 500) })
    google.drive.create({ name: 'fine', content: 'words' })
    const { failures } = await engine.run()
    expect(failures).toMatchObject([
      { externalId: `my/${broken}`, message: 'the words of backendError' },
      { externalId: `my/${shortcut}`, message: 'the words of backendError' },
    ])
    expect(titles(engine)).toEqual(['fine', 'target'])
    google.faults.clear()
    google.drive.update(target, { content: 'newer' })
    expect((await engine.run()).failures).toEqual([])
    expect(titles(engine)).toEqual(['broken', 'fine', 'target'])
    expect(engine.bodies()).toEqual(['newer', 'words', 'words'])
  })

  it('behind a shortcut stays stored when a full resync gets no answer for the shortcut', async () => {
    const { google, engine } = await connect({}, { maxAttempts: 1 })
    const target = google.drive.create({ name: 'target', content: 'theirs', unlisted: true })
    google.drive.createShortcut('link', target)
    const other = google.drive.create({ name: 'other', content: 'words' })
    await engine.run()
    google.faults.add({ path: `/files/${target}`, status: 500, body: refusal('backendError', 500) })
    google.drive.remove(other)
    engine.now += 60_000
    const { failures } = await engine.run({ fullResync: true })
    expect(failures).toMatchObject([{ message: 'the words of backendError' }])
    expect(titles(engine)).toContain('target')
    await engine.run()
    expect(titles(engine)).toEqual(['target'])
  })

  it.each(['the shortcut is deleted', 'the account leaves the drive of the shortcut'])(
    'behind a shortcut is not retried after %s',
    async (what) => {
      const { google, engine } = await connect({ sharedDrives: 1 }, { maxAttempts: 1 })
      const team = google.drive.driveId(1)
      const target = google.drive.create({ name: 'target', content: 'theirs', unlisted: true })
      const shortcut = google.drive.createShortcut('link', target, team)
      google.faults.add({ path: `/export`, status: 500, body: refusal('backendError', 500) })
      await engine.run()
      if (what === 'the shortcut is deleted') google.drive.remove(shortcut)
      else google.drive.leaveDrive(team)
      await engine.run()
      google.faults.clear()
      await engine.run()
      expect(titles(engine)).toEqual([])
    },
  )

  it('does not count as an outage when the account itself may not be queried', async () => {
    const { google, engine } = await connect({ files: 20 }, { maxAttempts: 1 })
    google.faults.add({ path: '/export', status: 500, body: refusal('backendError', 500) })
    google.faults.add({ path: '/about', status: 403, body: refusal('forbidden') })
    expect((await engine.run()).failures.length).toBeGreaterThan(5)
  })
})

describe('a file that its owner closes to readers', () => {
  it('is recorded, and its stored copy is deleted', async () => {
    const { google, engine } = await connect()
    const id = google.drive.create({ name: 'Pay', content: 'secret' })
    await engine.run()
    google.drive.update(id, { content: 'other' })
    google.faults.add({ path: `${id}/export`, status: 403, body: refusal('cannotDownloadFile') })
    const { failures, deleted } = await engine.run()
    expect(failures).toMatchObject([{ externalId: `my/${id}`, message: 'the words of cannotDownloadFile' }])
    expect(deleted).toEqual([`my/${id}`])
  })
})

describe('a rate limit', () => {
  it('storm is waited out for the whole account, and nothing is lost', async () => {
    const { google, engine } = await connect({ files: 40 })
    google.faults.add({ every: 3, times: 30, status: 403, body: refusal('userRateLimitExceeded') })
    google.faults.add({
      every: 4,
      times: 10,
      status: 429,
      headers: { 'retry-after': '17' },
      body: refusal('rateLimitExceeded', 429),
    })
    const { failures } = await engine.run()
    expect(failures).toEqual([])
    expect(engine.items.size).toBe(37)
    expect(engine.waitedMs).toBeGreaterThan(17_000)
  })
})

describe('Google', () => {
  it('outages end the run as unavailable, and the next run resumes', async () => {
    const { google, engine } = await connect({ files: 120 })
    await engine.run({ dieAfter: 1 })
    const cursor = engine.cursor
    google.faults.add({ status: 503, body: refusal('backendError', 503) })
    await expect(engine.run()).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the words of backendError',
    })
    google.faults.clear()
    // An outage in the middle of a page: every file fails, and so does the probe.
    google.faults.add({ path: '/files/', status: 503 })
    google.faults.add({ path: '/about', status: 503 })
    await expect(engine.run()).rejects.toMatchObject({ kind: 'unavailable' })
    expect(engine.cursor).toEqual(cursor)
    google.faults.clear()
    google.requests.reset()
    await engine.run()
    expect(engine.items.size).toBe(110)
    // Pages of fifty: the first was stored before, so only two are listed again.
    expect(google.requests.byPath()['/drive/v3/files']).toBe(3)
  })

  it("answers replaced by a proxy's page count as an outage, and nothing is removed", async () => {
    const { google, engine } = await connect({ files: 20 })
    await engine.run()
    google.faults.add({ path: '/drive/v3/', status: 200, body: '<html>Please log in</html>' })
    engine.now += 60_000
    await expect(engine.run({ fullResync: true })).rejects.toMatchObject({ kind: 'unavailable' })
    google.faults.clear()
    google.faults.add({ path: '/drive/v3/files', status: 200, body: '<html>Please log in</html>' })
    await expect(engine.run({ fullResync: true })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(engine.items.size).toBe(19)
  })

  it('a refusal that is a page is reported by its status, without the page', async () => {
    const { google, engine } = await connect({ files: 1 })
    google.faults.add({ path: '/drive/v3/', status: 403, body: '<html>Sorry</html>' })
    await expect(engine.run()).rejects.toMatchObject({
      kind: 'rejected',
      message: 'Google answered with status 403',
    })
  })

  it('a missing scope needs a new connection, however Google names it', async () => {
    const { google, engine } = await connect({ files: 1 })
    const message = 'Request had insufficient authentication scopes.'
    const error = { code: 403, message, details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] }
    google.faults.add({ path: '/drive/v3/', status: 403, body: { error } })
    await expect(engine.run()).rejects.toMatchObject({ kind: 'auth', message })
  })

  it('requests are repeated after cut connections and timeouts', async () => {
    const { google, engine } = await connect({ files: 20 }, { requestTimeoutMs: 1_000 })
    google.faults.add({ every: 5, times: 3, drop: true })
    google.faults.add({ path: '/export', times: 1, delayMs: 20_000 })
    expect((await engine.run()).failures).toEqual([])
    expect(engine.items.size).toBe(19)
  })

  it('change tokens that are rejected require a full resync rather than a silent fresh start', async () => {
    const { google, engine } = await connect({ files: 5 })
    await engine.run()
    google.faults.add({ path: '/changes', status: 400, body: refusal('invalid', 400) })
    await expect(engine.run()).rejects.toMatchObject({
      kind: 'cursor_expired',
      message: 'the words of invalid',
    })
    google.faults.clear()
    google.drive.expireChangeTokens()
    await expect(engine.run()).rejects.toMatchObject({ kind: 'cursor_expired' })
  })

  it('list tokens that are rejected restart that list', async () => {
    const { google, engine } = await connect({ files: 120 })
    await engine.run({ dieAfter: 1 })
    google.drive.expirePageTokens()
    await engine.run()
    expect(engine.items.size).toBe(110)
  })

  it('refusals of one shared drive do not keep the others from being read', async () => {
    const { google, engine } = await connect({ files: 60, sharedDrives: 2 })
    const team = google.drive.driveId(1)
    google.faults.add({
      path: '/drive/v3/files',
      contains: `driveId=${team}`,
      status: 403,
      body: refusal('forbidden'),
    })
    const { failures } = await engine.run()
    expect(failures).toMatchObject([{ externalId: `${team}/`, message: 'the words of forbidden' }])
    expect([...engine.items.keys()].some((id) => id.startsWith(google.drive.driveId(2)))).toBe(true)
  })
})

describe('an interrupted run', () => {
  it("that was deleting a lost shared drive's items reads the drive again once it returns", async () => {
    const { google, engine } = await connect({ files: 110, folders: 6, sharedDrives: 1 })
    await engine.run()
    google.drive.leaveDrive(google.drive.driveId(1))
    await engine.run({ dieAfter: 1 })
    google.drive.joinDrive(google.drive.driveId(1))
    await engine.run()
    const fresh = await connectFresh(google)
    await fresh.run()
    expect([...engine.items.keys()].toSorted()).toEqual([...fresh.items.keys()].toSorted())
  })

  it('on any pages, stored or not, with the Drive changing meanwhile, ends like an uninterrupted run', async () => {
    const act = fc.constantFrom(
      'edit',
      'trash',
      'remove',
      'create',
      'rename folder',
      'trash folder',
      'move',
      'unshare folder',
      'leave drive',
      'join drive',
      'none',
    )
    const cut = fc.record({
      dieAfter: fc.integer({ min: 1, max: 4 }),
      losePage: fc.boolean(),
      act,
      at: fc.nat(40),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 6 }), async (cuts) => {
        const options = { files: 110, folders: 6, sharedDrives: 1 }
        const { google, engine } = await connect(options)
        for (const { dieAfter, losePage, act: what, at } of cuts) {
          await engine.run({ dieAfter, losePage })
          change(google, what, at)
        }
        // One run to finish a crawl, one for what changed during it.
        await engine.run()
        await engine.run()
        const fresh = await connectFresh(google)
        await fresh.run()
        expect([...engine.items.entries()].toSorted(byId)).toEqual([...fresh.items.entries()].toSorted(byId))
        await closeGoogles()
      }),
      { numRuns: 5 },
    )
  }, 120_000)
})

type Google = Awaited<ReturnType<typeof connect>>['google']

function change({ drive }: Google, what: string, at: number): void {
  const file = drive.fileId(at)
  const isThere = drive.get(file) !== null
  if (what === 'create') drive.create({ name: `new ${at}`, content: `made at ${at}` })
  if (what === 'rename folder') drive.update(drive.folderId(at % 6), { name: `folder ${at}` })
  if (what === 'trash folder') drive.trash(drive.folderId(at % 6))
  if (what === 'unshare folder') drive.unshare(drive.folderId(at % 6))
  if (what === 'leave drive') drive.leaveDrive(drive.driveId(1))
  if (what === 'join drive') drive.joinDrive(drive.driveId(1))
  if (!isThere) return
  if (what === 'edit') drive.update(file, { name: `edited ${at}` })
  if (what === 'trash') drive.trash(file)
  if (what === 'remove') drive.remove(file)
  if (what === 'move') drive.update(file, { parent: drive.driveId(1), driveId: drive.driveId(1) })
}

/** Another source on the same account that has never synced. */
async function connectFresh(google: Google) {
  const { clientId, clientSecret, url } = google
  const settings = { clientId, clientSecret, apiUrl: url, authUrl: url }
  const adapter = createGoogleDriveAdapter({ settings, clock: { now: () => new Date() }, extractor })
  const { accessToken } = google.grants.issue(google.account, GOOGLE_DRIVE_SCOPE)
  return createProviderHarness({
    adapter,
    account: { externalAccountId: google.account, displayName: google.account },
    accessToken: () => accessToken,
  })
}

const byId = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
