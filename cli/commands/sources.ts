import type { Command } from 'commander'
import { z } from 'zod'
import type { ApiClient } from '../api-client.ts'
import { Source, SyncRun, SyncRunDetails, SyncRunRequested } from '../api-shapes.ts'
import { MemoryError } from '../../client/src/index.ts'
import { failureHint, followRun, retryPolicyOn, reportRun, type RunDetails } from '../follow-run.ts'
import { nameSources } from '../source-names.ts'
import { formatMoment, formatTable, printableLine, type Terminal } from '../terminal.ts'
import { addChangeCommands } from './change-sources.ts'
import { sourceIdArgument } from './options.ts'
import { openSession, printJson } from './session.ts'
import { addChannelCommands } from './source-channels.ts'

/** `sources list|sync|channels|allow|pause|resume|delete`. */
export function addSourcesCommand(program: Command): void {
  const sources = program.command('sources').description('list, sync and change sources')
  sources.command('list').description('list the sources').action(listSources)
  sources
    .command('sync')
    .description('sync a connected source now, and follow the run')
    .addArgument(sourceIdArgument())
    .option('--full', 'read everything again, and delete what the provider no longer has')
    .action(syncSource)
  addChannelCommands(sources)
  addChangeCommands(sources)
}

async function syncSource(source: string, options: { full?: boolean }, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const wanted = { connectorId: source, fullResync: options.full === true }
  const { syncRun, alreadyActive } = await client.use(SyncRunRequested, (memory) =>
    memory.syncRuns.start(wanted),
  )
  if (alreadyActive) terminal.note('A sync run is already active; following it.')
  const known = await findSource(client, source, terminal)
  const label = known?.name ?? 'sync'
  const retry = retryPolicyOn(terminal, client.url)
  const look = (): Promise<RunDetails> =>
    client.use(SyncRunDetails, (memory, given) => memory.syncRuns.get(syncRun.id, given), retry)
  const ended = await followRun(look, label, terminal)
  if (ended.syncRun.status === 'failed') process.exitCode = 1
  if (json) return printJson(terminal, ended)
  reportRun({ label, provider: known?.provider }, ended, terminal)
}

/** The source, if the key may read it: a key that only syncs does not need its name. */
async function findSource(
  client: ApiClient,
  id: string,
  terminal: Terminal,
): Promise<{ name: string; provider: string } | undefined> {
  try {
    const retry = retryPolicyOn(terminal, client.url)
    const sources = await client.use(
      z.array(Source),
      (memory, options) => memory.sources.list(options),
      retry,
    )
    const source = sources.find((one) => one.id === id)
    return source && { name: nameSources(sources).get(id) ?? id, provider: source.provider }
  } catch (error) {
    if (error instanceof MemoryError && error.status === 403) return undefined
    throw error
  }
}

async function listSources(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const sources = await client.use(z.array(Source), (memory) => memory.sources.list())
  if (json) return printJson(terminal, { sources })
  const names = nameSources(sources)
  const rows = sources.map((source) => [
    names.get(source.id) ?? '',
    source.provider,
    source.status,
    String(source.sourceItemCount),
    formatMoment(source.lastSyncedAt),
    source.id,
  ])
  for (const line of formatTable(['NAME', 'PROVIDER', 'STATUS', 'ITEMS', 'LAST SYNCED', 'ID'], rows)) {
    terminal.print(line)
  }
  const lastRuns = await findLastRuns(
    client,
    sources.filter(({ status }) => status === 'error'),
  )
  for (const { id, provider, status, errorMessage } of sources) {
    if (errorMessage === null) continue
    terminal.print(`${names.get(id)}: ${terminal.style('red', printableLine(errorMessage))}`)
    if (status === 'error') terminal.print(`  ${failureHint(lastRuns.get(id), provider)}`)
  }
}

/** Each lookup costs one of the key's requests per minute. */
const RUNS_LOOKED_AT_MAX = 10

/** For each source in error, the run that caused it, if the key may read runs. */
async function findLastRuns(
  client: ApiClient,
  failing: readonly Source[],
): Promise<ReadonlyMap<string, RunDetails>> {
  const found = new Map<string, RunDetails>()
  if (failing.length === 0) return found
  try {
    const syncRuns = await client.use(z.array(SyncRun), (memory) => memory.syncRuns.list())
    for (const { id, errorMessage } of failing.slice(0, RUNS_LOOKED_AT_MAX)) {
      const last = syncRuns.find(({ connectorId }) => connectorId === id)
      if (last?.status !== 'failed' || last.errorMessage !== errorMessage) continue
      found.set(id, await client.use(SyncRunDetails, (memory) => memory.syncRuns.get(last.id)))
    }
  } catch (error) {
    // A key without sync:read, or at its rate limit, gets the list without these details.
    if (!(error instanceof MemoryError)) throw error
  }
  return found
}
