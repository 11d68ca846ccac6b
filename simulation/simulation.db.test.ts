import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const SEEDS = '1..20'

// In a separate process, because the simulation replaces its clock, randomness and network.
it(`keeps its promises in the simulation with seeds ${SEEDS}`, async () => {
  const given = [MAIN, '--seeds', SEEDS, '--rounds', '15', '--no-shrink']
  const { stdout } = await promisify(execFile)(process.execPath, given).catch(
    (error: { stdout?: string; stderr?: string }) => ({
      stdout: `${error.stdout ?? ''}\n${error.stderr ?? ''}`,
    }),
  )
  expect(stdout).toMatch(/^\d+ seeds, 0 failed/m)
})
