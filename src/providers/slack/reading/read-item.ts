import type { ItemRead } from '../../adapter.ts'
import { outOfReach } from '../../feed.ts'
import type { SlackRun } from '../client.ts'
import { listSlackChannels } from './channels.ts'
import { readSlackCursor } from './cursor.ts'
import { blockEnd, blockStart } from './messages.ts'
import { readParts } from './read-channel.ts'
import { historyOf, readingOf, startSync, type SlackChangesOptions } from './run.ts'

/** The hour of a stored conversation or thread; of its threads only this one. @throws ProviderError */
export async function readSlackItem(
  run: SlackRun,
  externalId: string,
  options: SlackChangesOptions,
): Promise<ItemRead> {
  const [, channelId = '', ts = ''] = externalId.split('/')
  const sync = await startSync(run, readSlackCursor(null), options)
  const channels = await listSlackChannels(run)
  sync.directory.addChannels(channels)
  const channel = channels.find(({ id }) => id === channelId)
  if (channel === undefined) throw outOfReach()
  const [oldest, before] = [blockStart(ts), blockEnd(blockStart(ts))]
  const threads = { skipKnown: true, skipUnwatched: true, forced: new Set([ts]) }
  const history = historyOf(sync, channelId, { oldest, before })
  const parts = await Array.fromAsync(
    readParts(readingOf(sync, channel), history, { before, oldest }, threads),
  )
  return {
    upserts: parts.flatMap(({ upserts }) => upserts),
    deletions: parts.flatMap(({ deletions }) => deletions),
    failures: parts.flatMap(({ failures }) => failures),
  }
}
