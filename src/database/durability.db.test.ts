import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { rounds, seededRandom } from '../../test/support/random.ts'
import { COMPILED_ONCE } from '../../test/support/service-process.ts'
import { openDatabase } from './open-database.ts'

const random = seededRandom('durability')

const WRITER = fileURLToPath(new URL('../../test/support/database-writer.ts', import.meta.url))
const KILLS = rounds(2)
const LONGEST_RUN_MS = 400
const onServer = process.env.TEST_DRIVER === 'postgres'

let dataDir: string
let server: TestDatabase | undefined

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'durability-'))
  if (onServer) server = await createTestDatabase()
})
afterAll(async () => {
  await server?.close()
  await rm(dataDir, { recursive: true, force: true })
})

function startWriter(first: number) {
  const url = server?.url ?? undefined
  return spawn(
    process.execPath,
    [COMPILED_ONCE, WRITER, dataDir, String(first), ...(url === undefined ? [] : [url])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
}

/** Runs a writer, kills it at a random moment, and returns the numbers whose commit it acknowledged. */
async function writeAndKill(first: number): Promise<number[]> {
  const writer = startWriter(first)
  const acknowledged: number[] = []
  const lines = createInterface({ input: writer.stdout })
  const started = once(lines, 'line')
  lines.on('line', (line) => acknowledged.push(Number(line)))
  const closed = once(lines, 'close')
  await started
  await sleep(random() * LONGEST_RUN_MS)
  writer.kill('SIGKILL')
  await closed
  return acknowledged
}

async function readWritten(): Promise<Map<number, string>> {
  const database = await openDatabase({
    dataDir,
    databaseUrl: server?.url ?? undefined,
    logger: console,
  })
  try {
    const { rows } = await sql<{ n: number; payload: string }>`select n, payload from written`.execute(
      database.db,
    )
    return new Map(rows.map(({ n, payload }) => [n, payload]))
  } finally {
    await database.close()
  }
}

describe('a process killed while it writes', () => {
  it('keeps every acknowledged row intact, whenever and however often it is killed, even in its first start', async () => {
    const firstStart = startWriter(0)
    await sleep(random() * 3_000)
    firstStart.kill('SIGKILL')
    await once(firstStart, 'exit')

    const acknowledged: number[] = []
    for (let kill = 1; kill <= KILLS; kill++) acknowledged.push(...(await writeAndKill(kill * 1_000_000)))
    const written = await readWritten()
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS)
    expect(acknowledged.filter((n) => !written.has(n))).toEqual([])
    expect([...written.values()].filter((payload) => payload !== 'changed')).toEqual([])
  }, 180_000)
})
