import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { readLines } from './read-collection.ts'

/** Questions of a collection whose words without a subject are known. */
export interface LabelledQuestions {
  /** The folder's name. */
  name: string
  questions: readonly LabelledQuestion[]
}

export interface LabelledQuestion {
  text: string
  /** The parts of it that say what it is about; none, where it is about nothing. */
  subject: readonly string[]
}

const Line = z.object({
  id: z.string().min(1),
  text: z.string().min(1),
  subject: z.array(z.string().min(1)),
})

/**
 * The questions of a collection with their `subject`, those that nothing answers too.
 * @throws CollectionError that names the file and line at fault
 */
export async function readSubjects(folder: string): Promise<LabelledQuestions> {
  return { name: basename(resolve(folder)), questions: await readLines(join(folder, 'queries.jsonl'), Line) }
}
