import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { createPGlite } from './embedded-pglite.ts'

// Makes a new database in the folder that is given as the argument, and ends. It is a process of its own because what
// this takes, over a gigabyte of memory, is only given back with the process.
const folder = process.argv[2]
if (folder === undefined) throw new Error('The folder is missing')
const pglite = await createPGlite({ folder })
await pglite.close()
flush(folder)

/** The first files are copied in and not flushed by the database. */
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
