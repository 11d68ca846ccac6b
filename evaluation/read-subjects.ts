import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { readLines } from './read-collection.ts'

/** Questions of a collection with labeled subjects. */
export interface LabeledQuestions {
  /** The folder's name. */
  name: string
  questions: readonly LabeledQuestion[]
}

export interface LabeledQuestion {
  text: string
  /** The parts of the question that name its subject; empty: no subject. */
  subject: readonly string[]
}

const Line = z.object({
  id: z.string().min(1),
  text: z.string().min(1),
  subject: z.array(z.string().min(1)),
})

/**
 * The questions of a collection with their `subject`, including unanswerable ones.
 * @throws CollectionError with the file and line
 */
export async function readSubjects(folder: string): Promise<LabeledQuestions> {
  return { name: basename(resolve(folder)), questions: await readLines(join(folder, 'queries.jsonl'), Line) }
}
