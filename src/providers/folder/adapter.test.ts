import { mkdir, mkdtemp, realpath, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createProviderHarness,
  DEFAULT_SETTINGS,
  type ProviderHarness,
} from '../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { createFolderAdapter } from './adapter.ts'
import { readFolderFile } from './read-file.ts'
import { compareBytes, walk } from './walk.ts'

const extractor = createTextExtractor()
let base: string
let root: string
const signal = new AbortController().signal

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'folder-')))
  root = path.join(base, 'allowed')
  await mkdir(root)
})
afterEach(() => rm(base, { recursive: true }))
afterAll(() => extractor.close())

const adapterOf = (roots = [root]) => createFolderAdapter({ roots, extractor })
const write = async (name: string, text: string): Promise<string> => {
  const file = path.join(root, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

async function connect(adapter = adapterOf()): Promise<ProviderHarness> {
  const { credentials, ...account } = await adapter.connect({ path: root }, signal)
  return createProviderHarness({
    adapter,
    account,
    accessToken: () => '',
    extra: credentials.extra ?? {},
    limits: { maxDownloadBytes: 1_000 },
  })
}

describe('a folder to connect', () => {
  it.each([
    ['outside the roots', () => base],
    ['with a similar name', () => `${root}-other`],
    ['that a link leads out to', () => path.join(root, 'out')],
    ['with ..', () => path.join(root, 'part/../../secret')],
    ['that does not exist', () => path.join(root, 'nothing')],
    ['that is a file', () => path.join(root, 'file.txt')],
  ])('is refused %s, with the same words', async (_when, place) => {
    await mkdir(`${root}-other`)
    await mkdir(path.join(base, 'secret'))
    await mkdir(path.join(root, 'part'))
    await symlink(path.join(base, 'secret'), path.join(root, 'out'))
    await write('file.txt', 'text')
    await expect(adapterOf().connect({ path: place() }, signal)).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(/^path must be a folder below one that .* allows/),
    })
  })

  it.each(['', 'relative/path', 'C:\\', '/a\0b'])('must be an absolute path, not %j', async (named) => {
    await expect(adapterOf().connect({ path: named }, signal)).rejects.toMatchObject({
      code: 'validation_failed',
      details: { issues: [{ path: 'fields.path' }] },
    })
  })

  it('may be a root itself, or below one that is a link', async () => {
    await symlink(root, path.join(base, 'link'))
    await mkdir(path.join(root, 'part'))
    const { externalAccountId } = await adapterOf([path.join(base, 'link')]).connect(
      { path: ` ${path.join(base, 'link/part')} ` },
      signal,
    )
    expect(externalAccountId).toBe(path.join(root, 'part'))
    expect((await adapterOf().connect({ path: root }, signal)).externalAccountId).toBe(root)
  })

  it('is not read once the operator has withdrawn its root', async () => {
    await write('a.md', 'Text.')
    const sync = await connect()
    await sync.run()
    const { account, extra } = sync.session
    const withdrawn = createProviderHarness({
      adapter: adapterOf([path.join(base, 'elsewhere')]),
      account,
      accessToken: () => '',
      extra,
    })
    await expect(withdrawn.run()).rejects.toThrow(/FOLDER_ROOTS no longer allows/)
  })
})

describe('files', () => {
  it('are items with title, path, folder and date', async () => {
    const file = await write('plans/2026/01-summer_trip.md', '# Summer trip\n\nWe sail to the island.')
    await utimes(file, new Date(0), new Date('2026-01-02T03:04:05Z'))
    const sync = await connect()
    await sync.run()
    expect([...sync.items.values()]).toEqual([
      {
        externalId: file,
        sourceKind: 'file',
        title: 'Summer trip',
        body: expect.stringContaining('We sail to the island.'),
        url: null,
        authorName: null,
        sourceCreatedAt: null,
        sourceUpdatedAt: new Date('2026-01-02T03:04:05Z'),
        metadata: { workspace: root, path: 'plans/2026/01-summer_trip.md', folder: 'plans / 2026' },
      },
    ])
  })

  it('are left out when hidden, linked, or without a format that has text', async () => {
    await writeFile(path.join(base, 'secret.txt'), 'secret')
    await mkdir(path.join(base, 'secrets'))
    await writeFile(path.join(base, 'secrets/more.txt'), 'more')
    await symlink(path.join(base, 'secret.txt'), path.join(root, 'link.txt'))
    await symlink(path.join(base, 'secrets'), path.join(root, 'links'))
    await symlink(root, path.join(root, 'loop'))
    for (const name of ['.hidden.txt', '.git/config.txt', 'picture.gif', 'program']) await write(name, 'text')
    const sync = await connect()
    expect(await sync.run()).toMatchObject({ discovered: 0, failures: [] })
  })

  it('are not read through a folder that was replaced by a link after the walk', async () => {
    await mkdir(path.join(base, 'secrets'))
    await writeFile(path.join(base, 'secrets/a.txt'), 'secret')
    const file = await write('part/a.txt', 'text')
    const { session } = await connect()
    expect(await readFolderFile(session, extractor, file)).toMatchObject({ body: 'text' })
    await rename(path.join(root, 'part'), path.join(root, 'old'))
    await symlink(path.join(base, 'secrets'), path.join(root, 'part'))
    expect(await readFolderFile(session, extractor, file)).toBeNull()
  })

  it('that are too large are reported, and those without text are listed as skipped', async () => {
    await truncate(await write('large.txt', ''), 1_001)
    await write('empty.txt', ' \n')
    const report = await (await connect()).run()
    expect(report.failures).toMatchObject([{ message: expect.stringMatching(/^The file is larger than/) }])
    expect(report.skipped).toMatchObject([{ title: 'empty.txt', message: 'The file has no text' }])
  })

  it('are found under their new path when a folder above them is renamed', async () => {
    const file = await write('old/part/a.txt', 'text')
    await utimes(file, new Date(0), new Date(0))
    const sync = await connect()
    await sync.run()
    for (let runs = 0; runs < 3; runs += 1) await sync.run()
    await rename(path.join(root, 'old'), path.join(root, 'new'))
    expect(await sync.run()).toMatchObject({
      ingested: [path.join(root, 'new/part/a.txt')],
      deleted: [file],
    })
  })

  it('are not read again by runs that find nothing new', async () => {
    for (let count = 0; count < 10; count += 1) await write(`${count}.txt`, 'text')
    const sync = await connect()
    await sync.run()
    await new Promise((resolve) => setTimeout(resolve, 30))
    await write('last.txt', 'text')
    for (let runs = 0; runs < 3; runs += 1) await sync.run()
    expect((await sync.run()).discovered).toBeLessThanOrEqual(2)
  })
})

describe('a folder that vanishes', () => {
  it('fails the run and removes nothing when it does not exist', async () => {
    await write('a.txt', 'text')
    const sync = await connect()
    await sync.run()
    await rename(root, `${root}-away`)
    await expect(sync.run()).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(sync.run({ fullResync: true })).rejects.toMatchObject({ kind: 'unavailable' })
    expect(sync.items.size).toBe(1)
  })

  it('fails the run and removes nothing when it is empty, on any disk', async () => {
    await write('part/a.txt', 'text')
    const sync = await connect()
    await sync.run()
    await rename(path.join(root, 'part'), path.join(base, 'part'))
    await write('.placeholder', 'hidden')
    for (const fullResync of [false, true])
      await expect(sync.run({ fullResync })).rejects.toThrow(/is empty.*is it mounted/)
    await expect(sync.reread(path.join(root, 'part/a.txt'))).rejects.toThrow(/is it mounted/)
    expect(sync.items.size).toBe(1)
    await rename(path.join(base, 'part'), path.join(root, 'part'))
    expect(await sync.run()).toMatchObject({ deleted: [], failures: [] })
  })

  it.each([false, true])('during a walk removes nothing (full resync: %s)', async (fullResync) => {
    for (const name of ['a.txt', 'b.txt', 'part/c.txt']) await write(name, 'text')
    const adapter = createFolderAdapter({ roots: [root], extractor, filesPerPage: 1 })
    const sync = await connect(adapter)
    await sync.run()
    for (const name of ['a.txt', 'b.txt', 'part/c.txt']) await write(name, 'edited')
    const cursor = fullResync ? null : sync.cursor
    const pages = adapter.listChanges(sync.session, { cursor, settings: DEFAULT_SETTINGS })
    const reading = pages[Symbol.asyncIterator]()
    expect(await reading.next()).toMatchObject({ done: false, value: { complete: false } })
    await rename(root, `${root}-away`)
    await mkdir(root)
    await expect(reading.next()).rejects.toThrow(/is it mounted/)
  })

  it('may be empty while nothing of it is stored', async () => {
    const sync = await connect()
    expect(await sync.run()).toMatchObject({ complete: true, failures: [] })
    await write('a.txt', 'text')
    expect((await sync.run()).ingested).toHaveLength(1)
  })
})

it('walks in the bytewise order of paths, and resumes after any of them', async () => {
  const names = [
    'a.txt',
    'a/b.txt',
    'a-b.txt',
    'a0.txt',
    'B.txt',
    'ä.txt',
    '\u{1f600}.txt',
    '\uffee.txt',
    'a/b/c.txt',
  ]
  for (const name of names) await write(name, 'text')
  const paths = async (after: string | null): Promise<string[]> => {
    const found: string[] = []
    for await (const step of walk(root, after, signal)) if ('file' in step) found.push(step.file.path)
    return found
  }
  const all = await paths(null)
  expect(all).toEqual(
    names
      .map((name) => path.join(root, name))
      .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  )
  for (const [position, after] of all.entries()) expect(await paths(after)).toEqual(all.slice(position + 1))
  expect(compareBytes('\uffee', '\u{1f600}')).toBe(-1)
})
