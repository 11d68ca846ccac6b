import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseFolder, makeSnapshot } from './database-setup.ts'

/**
 * A new data directory with a migrated database, because a first start takes three times as much CPU. Its name begins
 * with `name`.
 */
export async function makeDataDir(name: string, parent = tmpdir()): Promise<string> {
  await makeSnapshot()
  const folder = await mkdtemp(join(parent, name))
  await cp(databaseFolder(), join(folder, 'database'), { recursive: true })
  return folder
}
