import type { Command } from 'commander'
import type { ApiClient } from '../api-client.ts'
import { type Source, SourceList, SyncRunRequested } from '../api-shapes.ts'
import { ApiError } from '../failures.ts'
import { followRun, patiently, reconnectHint, reportRun } from '../follow-run.ts'
import { formatMoment, formatTable, printableLine } from '../terminal.ts'
import { addChangeCommands } from './change-sources.ts'
import { sourceIdArgument } from './options.ts'
import { openSession, printJson } from './session.ts'
import { addChannelCommands } from './source-channels.ts'

/** `sources list|sync|channels|allow|pause|resume|delete`. */
export function addSourcesCommand(program: Command): void {
  const sources = program.command('sources').description('show, sync and change where documents come from')
  sources.command('list').description('list the sources').action(listSources)
  sources
    .command('sync')
    .description('sync a connected source now, and follow the run')
    .addArgument(sourceIdArgument())
    .option('--full', 'read everything again, and remove what the provider no longer has')
    .action(syncSource)
  addChannelCommands(sources)
  addChangeCommands(sources)
}

async function syncSource(source: string, options: { full?: boolean }, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const requested = await client.call(SyncRunRequested, {
    method: 'POST',
    path: '/v1/sync-runs',
    body: { connectorId: source, fullResync: options.full === true },
  })
  if (requested.alreadyActive) terminal.note('A run was active already; this follows it.')
  const known = await patiently(terminal, () => findSource(client, source))
  const label = known ? printableLine(known.displayName) : 'sync'
  const path = '/v1/sync-runs'
  const ended = await followRun(client, { path, id: requested.syncRun.id, label }, terminal)
  if (ended.syncRun.status === 'failed') process.exitCode = 1
  if (json) return printJson(terminal, ended)
  reportRun({ label, provider: known?.provider }, ended, terminal)
}

/** The source, where the key may see it: a key that only syncs has no use for its name. */
async function findSource(client: ApiClient, id: string): Promise<Source | undefined> {
  try {
    const { sources } = await client.call(SourceList, { method: 'GET', path: '/v1/sources' })
    return sources.find((source) => source.id === id)
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  }
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
  const failing = sources.filter(({ status }) => status === 'error').map(({ provider }) => provider)
  if (failing.length > 0) terminal.print(reconnectHint([...new Set(failing)]))
}
