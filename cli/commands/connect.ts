import type { Command } from 'commander'
import type { ApiClient } from '../api-client.ts'
import { AuthorizeAnswer, type Source, SourceList, SyncRunList } from '../api-shapes.ts'
import { standOf, untilConnected } from '../await-connection.ts'
import { MemoryError } from '../../client/src/index.ts'
import { CommandError } from '../failures.ts'
import { followRun, patienceOn, reportRun } from '../follow-run.ts'
import { offerChannels } from '../offer-channels.ts'
import { decideAccess, operatorClient } from '../operator-client.ts'
import { addPersonOptions, type PersonOptions, signIn } from '../person.ts'
import { printableLine, type Terminal } from '../terminal.ts'
import { providersArgument } from './options.ts'
import { openSession, printJson } from './session.ts'

interface ConnectOptions extends PersonOptions {
  grant?: boolean
}

/** `connect`: connects provider accounts and follows their first sync. */
export function addConnectCommand(program: Command): void {
  addPersonOptions(program.command('connect'))
    .description('connect accounts and follow the first sync')
    .addArgument(providersArgument())
    .option('--grant', 'grant gated providers first, as the operator')
    .action(connect)
}

async function connect(providers: string[], options: ConnectOptions, command: Command): Promise<void> {
  const { client, terminal: own, json } = openSession(command)
  // With --json the page to open goes to stderr, like everything except the result.
  const terminal = json ? { ...own, print: (line = '') => own.note(line) } : own
  const connected = []
  const { person, organizationId } = await signIn(client.url, options)
  const already = new Set((await listSources(person, terminal)).map(standOf))
  for (const provider of new Set(providers)) {
    const url = await authorize({ person, organizationId, provider, grant: options.grant === true })
    terminal.print(
      `${provider}: open this page, allow access, and click Connect on the page that you are led back to\n  ${url}`,
    )
    const source = await untilConnected(() => listSources(person, terminal), { provider, already }, terminal)
    const label = `${provider} (${printableLine(source.displayName)})`
    const runs = await person.call(SyncRunList, {
      method: 'GET',
      path: '/v1/console/sync-runs',
      retry: patienceOn(terminal, person.url),
    })
    const run = runs.syncRuns.find(({ connectorId }) => connectorId === source.id)
    if (!run) throw new CommandError(`${label} is connected, but has no sync run`)
    const path = '/v1/console/sync-runs'
    const ended = await followRun(person, { path, id: run.id, label }, terminal)
    reportRun({ label, provider }, ended, terminal)
    await offerChannels(person, source, label, terminal)
    connected.push({ source, ...ended })
  }
  if (json) printJson(own, { connected })
}

async function authorize(given: {
  person: ApiClient
  organizationId: string
  provider: string
  grant: boolean
}): Promise<string> {
  const { person, organizationId, provider } = given
  const path = `/v1/console/connectors/${provider}/authorize`
  try {
    return (await person.call(AuthorizeAnswer, { method: 'POST', path })).url
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== 'connector_access_required') throw error
    if (!given.grant) {
      throw new CommandError(
        `${provider} needs the operator's permission first. If you are the operator, add --grant, or run:\n` +
          `  npm run memory -- operator access ${organizationId} ${provider} grant`,
        { cause: error },
      )
    }
    const operator = await operatorClient(person.url)
    await decideAccess(operator, { organizationId, provider, enabled: true })
    return (await person.call(AuthorizeAnswer, { method: 'POST', path })).url
  }
}

async function listSources(person: ApiClient, terminal: Terminal): Promise<Source[]> {
  const retry = patienceOn(terminal, person.url)
  const { sources } = await person.call(SourceList, { method: 'GET', path: '/v1/console/sources', retry })
  return sources
}
