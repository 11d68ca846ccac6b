import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/support/database.ts'
import { readSettings } from '../config.ts'
import { systemClock } from '../kernel/clock.ts'
import { createConsoleIdentity } from './console-identity.ts'

it('works once the data folder can be written, without a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sign-in-'))
  const dataDir = join(folder, 'data')
  await writeFile(dataDir, 'not a folder')
  const database = await createTestDatabase()
  try {
    const { verifyToken } = createConsoleIdentity({
      settings: readSettings({ DATA_DIR: dataDir }),
      db: database.db,
      clock: systemClock,
      fetch,
      publicUrl: () => 'http://127.0.0.1:8787',
    })
    await expect(verifyToken('Bearer eyJ.eyJ.x')).rejects.toMatchObject({ code: 'ENOTDIR' })
    await rm(dataDir)
    await expect(verifyToken('Bearer eyJ.eyJ.x')).rejects.toMatchObject({ code: 'unauthenticated' })
  } finally {
    await database.close()
    await rm(folder, { recursive: true })
  }
})
