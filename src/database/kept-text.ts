import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { flushFolder } from './flush-folder.ts'
import { makeFolder } from './make-folder.ts'
import { codeOf, nullIfMissing } from '../kernel/thrown-errors.ts'

/** Reads a small file that is made once: flushed before it has its name, so that it is whole or missing. */
export async function keptText(file: string, make: () => string | Promise<string>): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(nullIfMissing)
  if (kept !== null) return kept
  await makeFolder(path.dirname(file))
  const part = `${file}.${randomUUID()}.part`
  try {
    await writeFlushed(part, await make())
    await giveName(part, file)
  } finally {
    await rm(part, { force: true })
  }
  await flushFolder(path.dirname(file))
  // Another process may have been first.
  return await readFile(file, 'utf8')
}

async function writeFlushed(file: string, text: string): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    await handle.writeFile(text)
    // The flush of `writeFile` is invisible to the simulated disk that tests power cuts.
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A second name, which never replaces a file. Some network file systems have none: there the first name is changed. */
async function giveName(part: string, file: string): Promise<void> {
  try {
    await link(part, file)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EINVAL'].includes(code)) throw error
    await rename(part, file)
  }
}
