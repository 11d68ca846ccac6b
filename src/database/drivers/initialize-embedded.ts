import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { createPGlite } from './embedded-pglite.ts'

// Creates a database in the folder given as the argument. It runs in its own process because it takes over a gigabyte
// of memory, which is only released when the process ends.
const folder = process.argv[2]
if (folder === undefined) throw new Error('The folder is missing')
const pglite = await createPGlite({ folder })
await pglite.close()
flush(folder)

/** The database does not flush the first files, which are copied in. */
function flush(name: string): void {
  for (const entry of readdirSync(name, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) flushOne(path.join(entry.parentPath, entry.name))
  }
  flushOne(name)
}

function flushOne(name: string): void {
  const descriptor = openSync(name, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
