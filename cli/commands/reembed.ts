import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { Reembedding } from '../api-shapes.ts'
import { printableLine } from '../terminal.ts'
import { openSession, printJson } from './session.ts'

const LOOK_MS = 2_000

/** `reembed`: moves all chunks to the configured embedding model and waits. */
export function addReembedCommand(program: Command): void {
  program
    .command('reembed')
    .description('move all chunks to the configured embedding model (needs the action admin)')
    .action(reembed)
}

async function reembed(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  let move = await client.use(Reembedding, (memory) => memory.maintenance.startReembedding())
  let shown = ''
  while (move.status === 'running') {
    const progress = progressOf(move)
    if (progress !== shown) terminal.note(progress)
    shown = progress
    await sleep(LOOK_MS)
    move = await client.use(Reembedding, (memory) => memory.maintenance.reembedding())
  }
  if (json) return printJson(terminal, move)
  terminal.print(`All chunks use ${printableLine(move.model ?? '')}`)
}

/** In steps of a tenth, so that a log does not get a thousand lines. */
function progressOf({ chunksDone, chunksTotal, errorMessage }: Reembedding): string {
  if (errorMessage !== null) return `stopped and will be retried: ${printableLine(errorMessage)}`
  const percent = chunksTotal === 0 ? 0 : Math.floor((10 * chunksDone) / chunksTotal) * 10
  return `${percent}% of ${chunksTotal} chunks moved; searches use the former model meanwhile`
}
