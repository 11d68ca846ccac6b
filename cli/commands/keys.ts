import { type Command, Option } from 'commander'
import { z } from 'zod'
import type { NewApiKey } from '../../client/src/index.ts'
import { ApiKey, KeyCreated, KeyRevoked } from '../api-shapes.ts'
import { askFirst } from '../confirm.ts'
import { UsageError } from '../failures.ts'
import { formatMoment, formatTable, printableLine } from '../terminal.ts'
import { listArgument } from './options.ts'
import { openSession, printJson } from './session.ts'

/** Every type, which the compiler checks. */
const ACTOR_TYPES: Record<NonNullable<NewApiKey['actorType']>, true> = {
  agent: true,
  application: true,
  admin: true,
}

type CreateOptions = Pick<NewApiKey, 'actorType' | 'requiresUser'> & {
  actions: NewApiKey['allowedActions']
  providers?: NonNullable<NewApiKey['allowedProviders']>
}

/** `keys list|create|revoke`. */
export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .description('list, create and revoke API keys (needs the action admin)')
  keys.command('list').description('list live keys').action(listKeys)
  keys
    .command('create')
    .description('create a key and print its secret, once')
    .argument('<name>', 'name of the key')
    .requiredOption('--actions <list>', 'actions, such as search,context,ask', listArgument)
    .option('--providers <list>', 'limit the key to these providers', listArgument)
    .addOption(new Option('--actor-type <type>', 'who uses the key').choices(Object.keys(ACTOR_TYPES)))
    .option('--requires-user', 'allow reading only on behalf of people')
    .action(createKey)
  keys
    .command('revoke')
    .description('revoke a key')
    .argument('<id>', 'ID, from "keys list"')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(revokeKey)
}

async function listKeys(_options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const apiKeys = await client.use(z.array(ApiKey), (memory) => memory.apiKeys.list())
  if (json) return printJson(terminal, { apiKeys })
  const headings = ['NAME', 'PREFIX', 'TYPE', 'ACTIONS', 'PROVIDERS', 'LAST USED', 'CREATED', 'ID']
  for (const line of formatTable(headings, apiKeys.map(keyRow))) terminal.print(line)
}

function keyRow(key: ApiKey): string[] {
  return [
    printableLine(key.name),
    key.prefix,
    key.actorType,
    key.allowedActions.join(','),
    key.allowedProviders?.join(',') ?? 'all',
    formatMoment(key.lastUsedAt),
    formatMoment(key.createdAt),
    key.id,
  ]
}

async function createKey(
  name: string,
  { actions: allowedActions, providers, ...rest }: CreateOptions,
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const scope = providers === undefined ? {} : { allowedProviders: providers }
  const key = { name, allowedActions, ...scope, ...rest }
  const created = await client.use(KeyCreated, (memory) => memory.apiKeys.create(key))
  if (json) return printJson(terminal, created)
  terminal.note(
    `Key "${printableLine(created.apiKey.name)}" (${created.apiKey.id}). The secret is shown only once:`,
  )
  terminal.print(created.secret)
}

async function revokeKey(id: string, options: { yes?: boolean }, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  if (!/^[0-9a-f-]{36}$/i.test(id))
    throw new UsageError(`"${id}" is not a key's ID; "keys list" shows the IDs`)
  if (options.yes !== true) {
    await askFirst(terminal, `Revoke ${id}? It stops working at once.`, 'Nothing was revoked')
  }
  const revoked = await client.use(KeyRevoked, (memory) => memory.apiKeys.revoke(id))
  if (json) return printJson(terminal, revoked)
  terminal.print(`Revoked "${printableLine(revoked.apiKey.name)}" (${revoked.apiKey.prefix}…)`)
}
