import type { Command } from 'commander'
import { AllowlistResponse, ChannelList } from '../api-shapes.ts'
import { UsageError } from '../failures.ts'
import { formatTable, printableLine } from '../terminal.ts'
import { sourceIdArgument } from './options.ts'
import { openSession, printJson } from './session.ts'

const NO_ALLOWLIST = 'No allowlist: every channel that the bot is a member of is synced.'

/** `sources channels|allow`: a source's channels and allowlist. */
export function addChannelCommands(sources: Command): void {
  sources
    .command('channels')
    .description('list the channels of a source that can be synced')
    .addArgument(sourceIdArgument())
    .action(listChannels)
  sources
    .command('allow')
    .description('sync only these channels of a source, and join the public ones')
    .addArgument(sourceIdArgument())
    .argument('[channels...]', 'IDs, from "sources channels"')
    .option('--all', 'every channel the bot is a member of')
    .action(allowChannels)
}

async function listChannels(id: string, _options: unknown, command: Command): Promise<void> {
  const { client, terminal, json } = openSession(command)
  const answer = await client.use(ChannelList, (memory) => memory.sources.channels(id))
  if (json) return printJson(terminal, answer)
  const { channels, channelAllowlist } = answer
  const rows = channels.map((channel) => [
    channel.id,
    printableLine(channel.name),
    channel.isPrivate ? 'yes' : 'no',
    String(channel.memberCount),
    channelAllowlist === null ? 'no list' : channelAllowlist.includes(channel.id) ? 'yes' : 'no',
  ])
  for (const line of formatTable(['ID', 'NAME', 'PRIVATE', 'MEMBERS', 'ON THE ALLOWLIST'], rows)) {
    terminal.print(line)
  }
  if (channelAllowlist === null) return terminal.note(NO_ALLOWLIST)
  const unseen = channelAllowlist.filter((allowed) => !channels.some((channel) => channel.id === allowed))
  if (unseen.length > 0) terminal.note(`On the allowlist, but not among the channels: ${unseen.join(', ')}`)
}

async function allowChannels(
  id: string,
  channels: string[],
  options: { all?: boolean },
  command: Command,
): Promise<void> {
  const { client, terminal, json } = openSession(command)
  if ((options.all === true) === channels.length > 0) {
    throw new UsageError('Name the channels to sync, or use --all; "sources channels" lists their IDs')
  }
  const allowlist = options.all === true ? null : [...new Set(channels)]
  const answer = await client.use(AllowlistResponse, (memory) =>
    memory.sources.setChannelAllowlist(id, allowlist),
  )
  if (json) return printJson(terminal, answer)
  const allowed = answer.channelAllowlist?.join(', ')
  terminal.print(
    `${printableLine(answer.displayName)}: ${allowed === undefined ? 'every channel the bot is a member of' : `only ${allowed}`}, from the next sync on.`,
  )
  terminal.print(
    `Sync now with "npm run memory -- sources sync ${id}"; that also deletes the items of removed channels.`,
  )
}
