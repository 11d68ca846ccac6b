import { type Command, Option } from 'commander'
import type { ApiClient } from '../api-client.ts'
import {
  AuthorizeResponse,
  ConnectResponse,
  type ConnectFormField,
  ConnectorList,
  type Source,
  SourceList,
  SyncRunList,
} from '../api-shapes.ts'
import { standOf, untilConnected } from '../await-connection.ts'
import { askOn, fieldArgument, fillForm } from '../connect-form.ts'
import { MemoryError } from '../../client/src/index.ts'
import { CommandError, UsageError } from '../failures.ts'
import { followConsoleRun, retryPolicyOn, reportRun } from '../follow-run.ts'
import { offerChannels } from '../offer-channels.ts'
import { decideAccess, operatorClient } from '../operator-client.ts'
import { addPersonOptions, type PersonOptions, signIn } from '../person.ts'
import { printableLine, type Terminal } from '../terminal.ts'
import { providersArgument } from './options.ts'
import { openSession, printJson } from './session.ts'

interface ConnectOptions extends PersonOptions {
  grant?: boolean
  field?: Record<string, string>
}

/** The account, workspace and person of a connection. */
interface Connecting {
  person: ApiClient
  organizationId: string
  provider: string
  grant: boolean
}

/** `connect`: connects provider accounts and follows their first sync. */
export function addConnectCommand(program: Command): void {
  addPersonOptions(program.command('connect'))
    .description('connect accounts and follow the first sync')
    .addArgument(providersArgument())
    .option('--grant', 'grant gated providers first, as the operator')
    .addOption(
      new Option('--field <name=value>', 'a field for a provider that is connected with a form').argParser(
        fieldArgument,
      ),
    )
    .action(connect)
}

async function connect(providers: string[], options: ConnectOptions, command: Command): Promise<void> {
  const { client, terminal: own, json } = openSession(command)
  // With --json the page to open goes to stderr, like everything except the result.
  const terminal = json ? { ...own, print: (line = '') => own.note(line) } : own
  const connected = []
  if (options.field !== undefined && providers.length > 1)
    throw new UsageError('--field belongs to one provider: connect one at a time')
  const { person, organizationId } = await signIn(client.url, options)
  const already = new Set((await listSources(person, terminal)).map(standOf))
  for (const provider of new Set(providers)) {
    const connecting = { person, organizationId, provider, grant: options.grant === true }
    const form = await findForm(person, provider)
    const source =
      form === null
        ? await connectElsewhere(connecting, already, terminal)
        : await connectByForm(
            connecting,
            await fillForm(form, options.field ?? {}, askOn(terminal)),
            terminal,
          )
    const label = `${provider} (${printableLine(source.displayName)})`
    const runs = await person.call(SyncRunList, {
      method: 'GET',
      path: '/v1/console/sync-runs',
      retry: retryPolicyOn(terminal, person.url),
    })
    const run = runs.syncRuns.find(({ connectorId }) => connectorId === source.id)
    if (!run) throw new CommandError(`${label} is connected, but has no sync run`)
    const ended = await followConsoleRun(person, { id: run.id, label }, terminal)
    reportRun({ label, provider }, ended, terminal)
    await offerChannels(person, source, label, terminal)
    connected.push({ source, ...ended })
  }
  if (json) printJson(own, { connected })
}

/** The form of a provider; null when it is connected at the provider. @throws CommandError for an unknown one */
async function findForm(person: ApiClient, provider: string): Promise<ConnectFormField[] | null> {
  const { connectors } = await person.call(ConnectorList, { method: 'GET', path: '/v1/console/connectors' })
  const found = connectors.find((connector) => connector.provider === provider)
  if (found === undefined) {
    const known = connectors.map((connector) => connector.provider).join(', ')
    throw new CommandError(
      `This service does not offer ${provider}, only ${known}. Its operator can add providers with PROVIDERS`,
    )
  }
  return found.form ?? null
}

async function connectElsewhere(
  connecting: Connecting,
  already: ReadonlySet<string>,
  terminal: Terminal,
): Promise<Source> {
  const { person, provider } = connecting
  const path = `/v1/console/connectors/${provider}/authorize`
  const { url } = await allowed(connecting, () => person.call(AuthorizeResponse, { method: 'POST', path }))
  terminal.print(
    `${provider}: open this page, allow access, and click Connect on the page that opens next\n  ${url}`,
  )
  return await untilConnected(() => listSources(person, terminal), { provider, already }, terminal)
}

async function connectByForm(
  connecting: Connecting,
  fields: Record<string, string>,
  terminal: Terminal,
): Promise<Source> {
  const { person, provider } = connecting
  const path = `/v1/console/connectors/${provider}/connect`
  const { connectorId } = await allowed(connecting, () =>
    person.call(ConnectResponse, { method: 'POST', path, body: { fields } }),
  )
  const source = (await listSources(person, terminal)).find(({ id }) => id === connectorId)
  if (source === undefined)
    throw new CommandError(`${provider} was connected, but its source no longer exists`)
  return source
}

/** Makes a request for a gated provider, which the operator may grant first. */
async function allowed<Answer>(
  { person, organizationId, provider, grant }: Connecting,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== 'connector_access_required') throw error
    if (!grant) {
      throw new CommandError(
        `${provider} needs the operator's permission first. If you are the operator, add --grant, or run:\n` +
          `  npm run memory -- operator access ${organizationId} ${provider} grant`,
        { cause: error },
      )
    }
    const operator = await operatorClient(person.url)
    await decideAccess(operator, { organizationId, provider, enabled: true })
    return await request()
  }
}

async function listSources(person: ApiClient, terminal: Terminal): Promise<Source[]> {
  const retry = retryPolicyOn(terminal, person.url)
  const { sources } = await person.call(SourceList, { method: 'GET', path: '/v1/console/sources', retry })
  return sources
}
