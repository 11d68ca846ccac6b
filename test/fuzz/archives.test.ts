import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FORMAT, MANIFEST } from '../../src/backup/archive-format.ts'
import { readArchive } from '../../src/backup/read-archive.ts'
import { writeArchive } from '../../src/backup/write-archive.ts'
import { StartupError } from '../../src/kernel/errors.ts'
import { eachInput } from '../support/fuzz-inputs.ts'
import { mutate } from '../support/mutate.ts'
import { seededRandom } from '../support/random.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'archives-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

const CONTENTS = { 'database/PG_VERSION': '18\n', 'database/base/1/2': 'page '.repeat(500) }

/** A backup as the service writes it, of a few small files. */
async function archive(): Promise<Buffer> {
  const manifest = {
    format: FORMAT,
    service: '0.0.0',
    madeAt: new Date(0).toISOString(),
    migrations: [],
    encryptionKey: 'none',
  }
  async function* entries() {
    for (const [name, text] of Object.entries({ [MANIFEST]: JSON.stringify(manifest), ...CONTENTS })) {
      const bytes = Buffer.from(text)
      if (name === 'database/PG_VERSION')
        for (const folder of ['database', 'database/base', 'database/base/1'])
          yield { name: folder, size: 0, body: null }
      yield { name, size: bytes.length, body: oneOf(bytes) }
    }
  }
  return await buffer(writeArchive(entries(), () => ({ items: 1 }), new Date(0)))
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Unpacks an archive: it is refused, or as it was made. Nothing is written beside its folder. */
async function complaintOf(bytes: Buffer, number: number): Promise<string | null> {
  const root = path.join(parent, String(number))
  const [file, folder] = [path.join(root, 'file'), path.join(root, 'unpacked')]
  await mkdir(folder, { recursive: true })
  await writeFile(file, bytes)
  try {
    await readArchive(file, folder)
    for (const [name, text] of Object.entries(CONTENTS))
      if ((await readFile(path.join(folder, name), 'utf8')) !== text) return `${name} was changed`
    return null
  } catch (error) {
    if (error instanceof StartupError) return null
    return error instanceof Error ? String(error.stack) : String(error)
  } finally {
    const names = [...(await readdir(parent)), ...(await readdir(root))]
    expect(names.toSorted()).toEqual([String(number), 'file', 'unpacked'].toSorted())
    await rm(root, { recursive: true, force: true })
  }
}

it('a damaged backup is refused, and nothing is written outside its folder', async () => {
  const whole = await archive()
  expect(await complaintOf(whole, -1)).toBe(null)
  const inside = zstdDecompressSync(whole)
  const random = seededRandom('archives')
  const wrong = await eachInput((number) => {
    const damaged = random() < 0.3 ? mutate(whole, random) : zstdCompressSync(mutate(inside, random))
    return complaintOf(damaged, number)
  })
  expect(wrong).toEqual([])
}, 3_600_000)
