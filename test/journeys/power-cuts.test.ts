import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { COMPILED_ONCE } from '../support/service-process.ts'

/** `POWER_CUTS=500` cuts the power that often. */
const CUTS = Number(process.env.POWER_CUTS ?? 6)
const RUN = fileURLToPath(new URL('../support/power-cuts/run.ts', import.meta.url))

const Outcome = z.object({
  cuts: z.number(),
  flushes: z.number(),
  failures: z.array(z.unknown()),
  noticed: z.number(),
})

it('keeps every acknowledged write and starts after a power cut during ingest, sync, a model move, backup and restore', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [COMPILED_ONCE, RUN, String(CUTS)], {
    maxBuffer: 2 ** 26,
  })
  const outcome = Outcome.parse(JSON.parse(stdout))
  expect(outcome.failures).toEqual([])
  expect(outcome.cuts).toBe(CUTS)
  // Disks on which flushes have no effect, to prove that the checks would see a lost write.
  expect(outcome.noticed).toBeGreaterThan(0)
}, 3_600_000)
