import { autocompleteMultiselect, isCancel } from '@clack/prompts'
import { PROVIDERS } from '../client/src/index.ts'
import type { ApiClient } from './api-client.ts'
import { ChannelList, type Source, SourceResponse, SyncRunRequested } from './api-shapes.ts'
import { followConsoleRun, retryPolicyOn, reportRun } from './follow-run.ts'
import { printableLine, type Terminal } from './terminal.ts'

const ROWS_SHOWN = 12

/**
 * Syncs the channels that the user chooses for a new source. Prompts on a terminal; prints a hint elsewhere. Skips a
 * source without channels or with an allowlist.
 */
export async function offerChannels(
  person: ApiClient,
  source: Source,
  label: string,
  terminal: Terminal,
): Promise<void> {
  // Unknown providers have no channels.
  if (!PROVIDERS.some(({ id, hasChannels }) => id === source.provider && hasChannels)) return
  const retry = retryPolicyOn(terminal, person.url)
  const path = `/v1/console/sources/${source.id}`
  const answer = await person.call(ChannelList, { method: 'GET', path: `${path}/channels`, retry })
  if (answer.channelAllowlist !== null) return
  const chosen = await chooseChannels(answer, terminal)
  if (chosen.length === 0) {
    terminal.print(
      `${label}: only channels that the bot is a member of are synced. To sync others:\n` +
        `  npm run memory -- sources channels ${source.id}\n` +
        `  npm run memory -- sources allow ${source.id} CHANNEL_ID...`,
    )
    return
  }
  await person.call(SourceResponse, { method: 'PATCH', path, body: { channelAllowlist: chosen } })
  const { syncRun } = await person.call(SyncRunRequested, {
    method: 'POST',
    path: '/v1/console/sync-runs',
    body: { connectorId: source.id },
  })
  const ended = await followConsoleRun(person, { id: syncRun.id, label }, terminal)
  reportRun({ label, provider: source.provider }, ended, terminal)
}

async function chooseChannels(
  { channels }: { channels: readonly { id: string; name: string; memberCount: number }[] },
  terminal: Terminal,
): Promise<string[]> {
  if (!process.stdin.isTTY || !terminal.stderr.isTTY || channels.length === 0) return []
  const chosen = await autocompleteMultiselect({
    message: 'Which channels should be synced? The bot joins the public ones. Press Enter to skip.',
    options: channels.map(({ id, name, memberCount }) => ({
      value: id,
      label: `#${printableLine(name)}`,
      hint: `${memberCount} members`,
    })),
    maxItems: ROWS_SHOWN,
    required: false,
    output: terminal.stderr,
  })
  return isCancel(chosen) ? [] : chosen
}
