import { readFile, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { parseJson } from '../parse-json.ts'
import type { QuestionResult, Results } from './evaluate.ts'

const LastRun = z.object({
  ranAt: z.string(),
  results: z.record(z.string(), z.object({ rank: z.int().nullable(), hasFact: z.boolean().nullable() })),
})

/** The previous run, stored beside the questions; empty if there is no readable one. */
export async function readLastRun(path: string): Promise<{ ranAt: string | null; results: Results }> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const read = LastRun.safeParse(parseJson(text))
  return read.success ? read.data : { ranAt: null, results: {} }
}

/** Saves a run, so that the next one can be compared with it. */
export async function writeLastRun(
  path: string,
  ranAt: string,
  results: readonly QuestionResult[],
): Promise<void> {
  const entries = results.map(({ question, rank, hasFact }) => [question, { rank, hasFact }])
  await writeFile(path, `${JSON.stringify({ ranAt, results: Object.fromEntries(entries) }, null, 2)}\n`)
}
