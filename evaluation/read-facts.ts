import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { CollectionError } from './read-collection.ts'

/** The facts an answer must state: all of these, each in any of its spellings. */
export type Facts = readonly (readonly string[])[]

const FactsLine = z.object({
  id: z.string().min(1),
  facts: z.array(z.array(z.string().min(1)).min(1)).min(1),
})

/**
 * The facts of a collection's questions, by question: the `facts` of each line of its `queries.jsonl`.
 * @throws CollectionError with the file and line
 */
export async function readFacts(folder: string): Promise<ReadonlyMap<string, Facts>> {
  const file = join(folder, 'queries.jsonl')
  const lines = (await readFile(file, 'utf8')).split('\n')
  return new Map(
    lines.flatMap((line, at) => {
      if (line.trim() === '') return []
      const parsed = FactsLine.safeParse(JSON.parse(line))
      if (!parsed.success) throw new CollectionError(`${file}, line ${at + 1}: the question has no facts`)
      return [[parsed.data.id, parsed.data.facts] as const]
    }),
  )
}

const UnanswerableLine = z.object({ id: z.string().min(1), text: z.string().min(1) })
export type Unanswerable = z.infer<typeof UnanswerableLine>

/** Questions of a collection's subjects that no document answers: its `unanswerable.jsonl`, if it has one. */
export async function readUnanswerable(folder: string): Promise<Unanswerable[]> {
  const file = join(folder, 'unanswerable.jsonl')
  if (!existsSync(file)) return []
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => UnanswerableLine.parse(JSON.parse(line)))
}

/** `tuning` may be inspected and tuned on; of `held out` only the figures. */
export const HALVES = ['held out', 'tuning'] as const

/** The half of a document and its questions, by a hash of its id, so that no one chooses. */
export function halfOf(documentId: string): (typeof HALVES)[number] {
  const [first = 0] = createHash('sha256').update(documentId).digest()
  return first % 2 === 0 ? 'tuning' : 'held out'
}
