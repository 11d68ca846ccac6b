import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseFolder, makeSnapshot } from './database-setup.ts'

/**
 * A new data directory whose database is there and migrated, as for any start but the first one, which takes three times
 * as much of the processor. What it is named begins with `name`.
 */
export async function makeDataDir(name: string, parent = tmpdir()): Promise<string> {
  await makeSnapshot()
  const folder = await mkdtemp(join(parent, name))
  await cp(databaseFolder(), join(folder, 'database'), { recursive: true })
  return folder
}
