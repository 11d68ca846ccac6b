import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createProviderHarness, type ProviderHarness } from '../../../test/support/provider-harness.ts'
import { createTextExtractor } from '../../file-text/index.ts'
import { createFolderAdapter } from './adapter.ts'

/** Paths whose disk fails. */
const unreadable = vi.hoisted(() => {
  vi.resetModules()
  return new Set<string>()
})
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  return {
    ...original,
    lstat: async (file: string) => {
      if (unreadable.has(file)) throw Object.assign(new Error('i/o error'), { code: 'EIO' })
      return await original.lstat(file)
    },
  }
})

const extractor = createTextExtractor()
let root: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'folder-')))
})
afterEach(async () => {
  unreadable.clear()
  await rm(root, { recursive: true })
})
afterAll(async () => {
  await extractor.close()
  vi.resetModules()
})

const write = async (name: string, text: string): Promise<string> => {
  const file = path.join(root, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

async function connect(): Promise<ProviderHarness> {
  const adapter = createFolderAdapter({ roots: [root], extractor })
  const { credentials: _, ...account } = await adapter.connect({ path: root }, new AbortController().signal)
  return createProviderHarness({ adapter, account, accessToken: () => '' })
}

describe('what cannot be read', () => {
  it.each([false, true])('keeps its items (full resync: %s)', async (fullResync) => {
    const kept = [await write('closed/a.txt', 'text'), await write('b.txt', 'text')]
    const sync = await connect()
    await sync.run()
    unreadable.add(path.join(root, 'closed')).add(path.join(root, 'b.txt'))
    const report = await sync.run({ fullResync })
    expect(report.deleted).toEqual([])
    expect(report.failures.map(({ externalId, message }) => [externalId, message])).toEqual(
      expect.arrayContaining([
        [path.join(root, 'b.txt'), 'The file cannot be read (EIO)'],
        [path.join(root, 'closed'), 'The folder cannot be read (EIO)'],
      ]),
    )
    unreadable.clear()
    expect([...sync.items.keys()].toSorted()).toEqual(kept.toSorted())
    expect(await sync.run()).toMatchObject({ deleted: [], failures: [] })
  })

  it('does not stop the rest, however many items it has', async () => {
    for (let count = 0; count < 250; count += 1) await write(`closed/${count}.txt`, 'text')
    const sync = await connect()
    await sync.run()
    unreadable.add(path.join(root, 'closed'))
    const added = await write('new.txt', 'text')
    expect(await sync.run()).toMatchObject({ ingested: [added], deleted: [] })
    expect(await sync.run({ fullResync: true })).toMatchObject({ deleted: [], complete: true })
    expect(sync.items.size).toBe(251)
  })

  it.each([
    ['folder', 'closed', false],
    ['file', 'closed/a.txt', false],
    ['folder', 'closed', true],
    ['file', 'closed/a.txt', true],
  ])('is read once the %s can be read, whatever changed meanwhile', async (_what, name, isNew) => {
    if (!isNew) await write('closed/a.txt', 'text')
    const sync = await connect()
    await sync.run()
    await write('closed/a.txt', 'The newer text.')
    unreadable.add(path.join(root, name))
    for (let runs = 0; runs < 4; runs += 1) {
      await write('other.txt', `text ${runs}`)
      await sync.run({ fullResync: isNew })
    }
    unreadable.clear()
    await sync.run()
    expect(sync.bodies()).toContain('The newer text.')
    expect(await sync.run()).toMatchObject({ discovered: expect.toSatisfy((count) => count <= 1) })
  })
})
