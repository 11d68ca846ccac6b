import type { Command } from 'commander'
import { SourceList } from '../api-shapes.ts'
import { formatMoment, formatTable, printableLine } from '../terminal.ts'
import { openSession, printJson } from './session.ts'

/** `sources list`. */
export function addSourcesCommand(program: Command): void {
  const sources = program.command('sources').description('show where documents come from')
  sources.command('list').description('list the sources').action(listSources)
}

async function listSources(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const { sources } = await client.call(SourceList, { method: 'GET', path: '/v1/sources' })
  if (json) return printJson(terminal, { sources })
  const rows = sources.map((source) => [
    printableLine(source.displayName),
    source.provider,
    source.status,
    String(source.sourceItemCount),
    formatMoment(source.lastSyncedAt),
    source.id,
  ])
  for (const line of formatTable(['NAME', 'PROVIDER', 'STATUS', 'ITEMS', 'LAST SYNCED', 'ID'], rows)) {
    terminal.print(line)
  }
  for (const { displayName, errorMessage } of sources) {
    if (errorMessage === null) continue
    terminal.print(`${printableLine(displayName)}: ${terminal.style('red', printableLine(errorMessage))}`)
  }
}
