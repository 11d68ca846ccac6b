import type { Command } from 'commander'
import { SourceList, SyncRunRequested } from '../api-shapes.ts'
import { followRun, reportRun } from '../follow-run.ts'
import { formatMoment, formatTable, printableLine } from '../terminal.ts'
import { openSession, printJson } from './session.ts'

/** `sources list|sync`. */
export function addSourcesCommand(program: Command): void {
  const sources = program.command('sources').description('show and sync where documents come from')
  sources.command('list').description('list the sources').action(listSources)
  sources
    .command('sync')
    .description('sync a connected source now, and follow the run')
    .argument('<source>', 'its id')
    .option('--full', 'read everything again, and remove what the provider no longer has')
    .action(syncSource)
}

async function syncSource(source: string, options: { full?: boolean }, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const requested = await client.call(SyncRunRequested, {
    method: 'POST',
    path: '/v1/sync-runs',
    body: { connectorId: source, fullResync: options.full === true },
  })
  if (requested.alreadyActive) terminal.note('A run was active already; this follows it.')
  const path = '/v1/sync-runs'
  const ended = await followRun(client, { path, id: requested.syncRun.id, label: 'sync' }, terminal)
  if (ended.syncRun.status === 'failed') process.exitCode = 1
  if (json) return printJson(terminal, ended)
  reportRun('sync', ended, terminal)
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
