import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FORMAT, MANIFEST } from './archive-format.ts'
import { writeArchive } from './write-archive.ts'

const BYTES = 100_000

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'archive-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A backup whose database is one file. */
async function writeBackup(file: string): Promise<void> {
  const manifest = {
    format: FORMAT,
    service: '0.0.0',
    madeAt: new Date(0).toISOString(),
    migrations: [],
    encryptionKey: 'none was made yet',
  }
  async function* entries() {
    const head = Buffer.from(JSON.stringify(manifest))
    yield { name: MANIFEST, size: head.length, body: oneOf(head) }
    yield { name: 'database', size: 0, body: null }
    yield { name: 'database/1', size: BYTES, body: oneOf(Buffer.alloc(BYTES, 'a')) }
  }
  await writeFile(file, await buffer(writeArchive(entries(), () => ({}), new Date(0))))
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Unpacks a backup in a process whose files can have this many KiB, as on a disk with little room. */
async function unpack(file: string, kibMax: number): Promise<string> {
  const into = path.join(folder, String(kibMax))
  await mkdir(into)
  const code = `
    import { readArchive } from ${JSON.stringify(new URL('./read-archive.ts', import.meta.url).href)}
    await readArchive(${JSON.stringify(file)}, ${JSON.stringify(into)}).then(
      ({ bytes }) => console.log(bytes), (error) => console.log(error.message))`
  const command = `ulimit -f ${kibMax}; exec "$0" --input-type=module -e "$1"`
  const { stdout } = await promisify(execFile)('bash', ['-c', command, process.execPath, code])
  return stdout.trim()
}

it.runIf(process.platform === 'linux')('a backup that does not fit on the disk is not restored', async () => {
  const file = path.join(folder, 'backup')
  await writeBackup(file)
  expect(await unpack(file, 98)).toBe(String(BYTES))
  expect(await unpack(file, 97)).toMatch(/EFBIG/)
})
