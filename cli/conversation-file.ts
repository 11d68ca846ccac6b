import { renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { describeFileError, describeWriteError } from './describe-file-error.ts'
import { CommandError, isMissingFile, UsageError } from './failures.ts'
import { parseJson } from './parse-json.ts'

const Turns = z.array(z.strictObject({ question: z.string().min(1), answer: z.string() }))
type Turn = z.output<typeof Turns>[number]

/** The service's limit. */
const TURNS_MAX = 10

/** The latest turns of a conversation file, oldest first; empty when the file does not exist. @throws UsageError */
export async function readConversation(path: string): Promise<Turn[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (isMissingFile(error)) return []
    throw new UsageError(`${path} cannot be read: ${describeFileError(error)}`)
  }
  const turns = Turns.safeParse(parseJson(text))
  if (!turns.success)
    throw new UsageError(`${path} is not a conversation: it must be a JSON list of { "question", "answer" }.`)
  return turns.data.slice(-TURNS_MAX)
}

/** Synchronous: the process exits as soon as it learns that its output's pipe is closed. @throws CommandError */
export function writeTurn(path: string, turns: readonly Turn[], turn: Turn): void {
  // A command that is stopped meanwhile leaves the file as it was.
  const written = `${path}.new`
  try {
    writeFileSync(written, `${JSON.stringify([...turns, turn].slice(-TURNS_MAX), null, 2)}\n`)
    renameSync(written, path)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${describeWriteError(error)}`, { cause: error })
  }
}
