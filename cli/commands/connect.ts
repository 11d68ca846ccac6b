import { setTimeout as sleep } from 'node:timers/promises'
import { Argument, type Command } from 'commander'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { AuthorizeAnswer, Me, type Source, SourceList, SyncRunList } from '../api-shapes.ts'
import { DEVELOPER, fetchConsoleToken } from '../console-token.ts'
import { ApiError, CommandError, UsageError } from '../failures.ts'
import { followRun, patiently, reportRun } from '../follow-run.ts'
import { decideAccess, operatorClient } from '../operator-client.ts'
import { printableLine, type Terminal } from '../terminal.ts'
import { PROVIDER_CHOICES } from './options.ts'
import { openSession } from './session.ts'

const LOOK_MS = 2_000
/** As long as the service waits for a person at the provider's page. */
const AGREE_TIMEOUT_MS = 10 * 60_000

interface ConnectOptions {
  token?: string
  organization?: string
  grant?: boolean
}

/** `connect`: accounts at providers, each until its first sync has ended. */
export function addConnectCommand(program: Command): void {
  program
    .command('connect')
    .description("connect accounts: prints each provider's page to agree on, then follows the first sync")
    .addArgument(new Argument('<provider...>').choices(PROVIDER_CHOICES))
    .option(
      '--token <token>',
      'a console token (MEMORY_CONSOLE_TOKEN; without one the development issuer is asked)',
    )
    .option('--organization <id>', 'the workspace, where there are several')
    .option('--grant', "give the operator's leave first, where a provider needs it (see operator)")
    .action(connect)
}

async function connect(providers: string[], options: ConnectOptions, command: Command): Promise<void> {
  const { client, terminal } = openSession(command)
  const { person, organizationId } = await signIn(client.url, options)
  const already = new Set(
    (await listSources(person, terminal)).map(({ id, updatedAt }) => `${id} ${updatedAt}`),
  )
  for (const provider of new Set(providers)) {
    const url = await authorize({ person, organizationId, provider, grant: options.grant === true })
    terminal.print(`${provider}: open this page and agree\n  ${url}`)
    const source = await untilConnected(person, provider, already, terminal)
    const label = `${provider} (${printableLine(source.displayName)})`
    const runs = await patiently(terminal, () =>
      person.call(SyncRunList, { method: 'GET', path: '/v1/console/sync-runs' }),
    )
    const run = runs.syncRuns.find(({ connectorId }) => connectorId === source.id)
    if (!run) throw new CommandError(`${label} is connected, but has no sync run`)
    const path = '/v1/console/sync-runs'
    reportRun(label, await followRun(person, { path, id: run.id, label }, terminal), terminal)
  }
}

/** The person's client in the workspace that is meant. @throws UsageError when it is not clear which one that is */
async function signIn(
  url: string,
  options: ConnectOptions,
): Promise<{ person: ApiClient; organizationId: string }> {
  const key =
    options.token ?? process.env.MEMORY_CONSOLE_TOKEN ?? (await fetchConsoleToken(url, DEVELOPER)).token
  const me = createApiClient({ url, key })
  const { organizations } = await me.call(Me, { method: 'GET', path: '/v1/console/me' })
  const [first, ...others] = organizations.filter(
    ({ id }) => options.organization === undefined || id === options.organization,
  )
  if (first === undefined)
    throw new CommandError('You are not a member of that workspace, or of any; make one in the console')
  if (others.length > 0) {
    const names = organizations.map(({ id, name }) => `  ${id}  ${printableLine(name)}`).join('\n')
    throw new UsageError(`You are in several workspaces: name one with --organization\n${names}`)
  }
  return { person: createApiClient({ url, key, organizationId: first.id }), organizationId: first.id }
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
    if (!(error instanceof ApiError) || error.code !== 'connector_access_required') throw error
    if (!given.grant) {
      throw new CommandError(
        `${provider} needs the operator's leave first. Where you are the operator, add --grant, or run:\n` +
          `  npm run memory -- operator access ${organizationId} ${provider} grant`,
        { cause: error },
      )
    }
    const operator = await operatorClient(person.url)
    await decideAccess(operator, { organizationId, provider, enabled: true })
    return (await person.call(AuthorizeAnswer, { method: 'POST', path })).url
  }
}

/** The source that is there, or was touched, since `already`: the callback makes one or gives one a fresh grant. */
async function untilConnected(
  person: ApiClient,
  provider: string,
  already: ReadonlySet<string>,
  terminal: Terminal,
): Promise<Source> {
  const deadline = performance.now() + AGREE_TIMEOUT_MS
  for (;;) {
    const sources = await listSources(person, terminal)
    const connected = sources.find(
      (source) => source.provider === provider && !already.has(`${source.id} ${source.updatedAt}`),
    )
    if (connected) return connected
    if (performance.now() > deadline)
      throw new CommandError(`Nobody agreed at ${provider} within ten minutes; run this again`)
    await sleep(LOOK_MS)
  }
}

async function listSources(person: ApiClient, terminal: Terminal): Promise<Source[]> {
  const { sources } = await patiently(terminal, () =>
    person.call(SourceList, { method: 'GET', path: '/v1/console/sources' }),
  )
  return sources
}
