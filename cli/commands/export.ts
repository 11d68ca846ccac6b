import type { FileHandle } from 'node:fs/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { MemoryConnectionError } from '../../client/src/index.ts'
import { CommandError } from '../failures.ts'
import { givenPath } from '../given-path.ts'
import { readLines } from '../import/read-lines.ts'
import { isEnd, workspaceHeader } from '../import/workspace-items.ts'
import { writeNewFile } from '../new-file.ts'
import { parseJson } from '../parse-json.ts'
import { openSession, printJson, type Session } from './session.ts'

/** Attempts in a row that bring nothing. */
const ATTEMPTS_MAX = 5
const Item = z.looseObject({ id: z.uuid() })

/** `export FILE`: the whole workspace. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('export all items of the workspace with permissions and vectors, for "import"')
    .argument('<file>', 'target file (.jsonl)', givenPath)
    .action(exportTo)
}

async function exportTo(file: string, _options: unknown, command: Command): Promise<void> {
  const session = openSession(command)
  const { items, model } = await writeNewFile(file, async (handle) => {
    const progress = await writeAll(session, handle)
    await handle.sync()
    return progress
  })
  if (session.json) return printJson(session.terminal, { file, items, model })
  session.terminal.print(`${file}: ${items} items with vectors of ${model ?? 'no model'}`)
}

interface Progress {
  items: number
  model: string | null
  /** The last item in the file. */
  after: string | undefined
  isWhole: boolean
}

/** A connection that breaks off is continued after the last whole line. */
async function writeAll({ client, terminal }: Session, handle: FileHandle): Promise<Progress> {
  const progress: Progress = { items: 0, model: null, after: undefined, isWhole: false }
  for (let attempt = 1; !progress.isWhole; attempt++) {
    const itemsBefore = progress.items
    try {
      await writeSome(client.memory().export(afterOf(progress)), handle, progress)
      if (!progress.isWhole) throw new CommandError('The export ended without its last line')
    } catch (error) {
      if (progress.items > itemsBefore) attempt = 1
      if (attempt === ATTEMPTS_MAX || !canContinue(error, progress)) throw client.failureOf(error, 'patient')
      terminal.note(`The connection was interrupted after ${progress.items} items; continuing`)
    }
  }
  return progress
}

/** A service that cannot be reached before the first item most likely does not run. */
function canContinue(error: unknown, { items }: Progress): boolean {
  return error instanceof MemoryConnectionError && (items > 0 || error.fault !== 'unreachable')
}

const afterOf = ({ after }: Progress) => (after === undefined ? {} : { after })

async function writeSome(
  pieces: AsyncIterable<string>,
  handle: FileHandle,
  progress: Progress,
): Promise<void> {
  for await (const { text } of readLines(pieces)) {
    const value = parseJson(text)
    const header = workspaceHeader(value)
    const isContinued = header !== null && progress.after !== undefined
    if (header !== null) progress.model = header.model
    if (isEnd(value)) progress.isWhole = true
    const item = Item.safeParse(value)
    // The last line of a broken connection.
    if (header === null && !progress.isWhole && !item.success) return
    if (!isContinued) await handle.writeFile(`${text}\n`)
    if (!item.success) continue
    progress.items++
    progress.after = item.data.id
  }
}
