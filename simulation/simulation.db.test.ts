import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const isPostgres = process.env.TEST_DRIVER === 'postgres'
/** A server answers in its own time, so that a seed takes longer there. */
const SEEDS = isPostgres ? '1..4' : '1..20'

// In a process of its own: the simulation replaces its clock, its randomness and its network.
it(`keeps its promises in the simulation with seeds ${SEEDS}`, async () => {
  const { TEST_DATABASE_URL, ...env } = process.env
  const database = isPostgres ? { SIMULATION_DATABASE_URL: TEST_DATABASE_URL } : {}
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [MAIN, '--seeds', SEEDS, '--rounds', '15', '--no-shrink'],
    {
      env: { ...env, ...database },
    },
  ).catch((error: { stdout?: string; stderr?: string }) => ({
    stdout: `${error.stdout ?? ''}\n${error.stderr ?? ''}`,
  }))
  expect(stdout).toMatch(/^\d+ seeds, 0 failed/m)
})
