import { z } from 'zod'
import { createOutageGuard, type OutageGuard } from '../../outage-guard.ts'
import { type ChangePage, isRejected, returnIf } from '../../adapter.ts'
import type { SlackChannel } from './channels.ts'
import type { SlackRun } from '../client.ts'
import { writeSlackCursor, type SlackState } from './cursor.ts'
import { readHistory } from '../history/blocks.ts'
import type { ItemContext, SlackWorkspace } from './items.ts'
import { createSlackDirectory, type SlackDirectory } from './people.ts'
import { pruneThreads } from './watched-threads.ts'

export interface SlackChangesOptions {
  /** Messages per `conversations.history` request, 1 to 999. Restricted apps get 15 whatever they request. */
  pageSize: number
  /** Items per yielded page. */
  itemsPerPage: number
  /** Messages before the look-back that a poll compares with what is stored. */
  verifiedMessages: number
  /** Threads that the cursor remembers. */
  watchedThreads: number
}

/** Shared by all parts of a run. */
export interface SlackSync {
  run: SlackRun
  options: SlackChangesOptions
  workspace: SlackWorkspace
  directory: SlackDirectory
  state: SlackState
  outage: OutageGuard
  /** Channels to read, by id: allowed ones that the bot is in or can join. */
  channels: Map<string, SlackChannel>
}

/** Shared by all parts of one channel. */
export interface ChannelReading extends SlackSync {
  context: ItemContext
}

type Progress = Partial<Pick<ChangePage, 'upserts' | 'deletions' | 'failures' | 'discovered' | 'unchanged'>>

const Own = z.object({ team: z.string().optional(), url: z.string().optional() })

/** Identifies the bot and begins a run with the given state. @throws ProviderError */
export async function startSync(
  run: SlackRun,
  state: SlackState,
  options: SlackChangesOptions,
): Promise<SlackSync> {
  // A gateway need not support the method.
  const identify = () => run.call('auth.test', Own)
  const own = await identify().catch(returnIf(isRejected, null))
  const { externalAccountId, displayName } = run.session.account
  const workspace = {
    id: externalAccountId,
    name: own?.team ?? displayName,
    url: own?.url ?? 'https://slack.com/',
  }
  const directory = createSlackDirectory(run)
  return {
    run,
    options,
    workspace,
    directory,
    state,
    outage: createOutageGuard(run.session.signal, identify),
    channels: new Map(),
  }
}

/** The pages of one channel; when Slack refuses it, a failure replaces the rest, and the run continues. */
export async function* tryChannel(
  sync: SlackSync,
  channel: SlackChannel,
  pages: AsyncIterable<ChangePage>,
): AsyncGenerator<ChangePage> {
  try {
    yield* pages
    sync.outage.passed()
  } catch (error) {
    const failure = await sync.outage.failureOf(channelKey(sync, channel.id), error)
    yield pageOf(sync, { failures: [{ ...failure, title: `#${channel.name}` }] })
  }
}

/** A channel's history, `oldest` <= ts < `before`. */
export function historyOf(
  sync: SlackSync,
  channelId: string,
  bounds: { oldest: string; before: string | null },
) {
  return readHistory(sync.run, { channelId, ...bounds, pageSize: sync.options.pageSize })
}

export function readingOf(sync: SlackSync, channel: SlackChannel): ChannelReading {
  const { workspace, directory: people } = sync
  return {
    ...sync,
    context: { workspace, channel, people, maxTextBytes: sync.run.session.limits.maxTextBytes },
  }
}

/** The external id of a failure of a whole channel. */
export const channelKey = (sync: SlackSync, channelId: string) => `${sync.workspace.id}/${channelId}`

/** A page with the current state as its cursor; not the last one. */
export function pageOf(sync: SlackSync, progress: Progress): ChangePage {
  pruneThreads(sync.state, sync.options.watchedThreads)
  return {
    upserts: progress.upserts ?? [],
    deletions: progress.deletions ?? [],
    failures: progress.failures ?? [],
    discovered: progress.discovered ?? 0,
    unchanged: progress.unchanged ?? 0,
    cursor: writeSlackCursor(sync.state),
    complete: false,
    // Deletions are found channel by channel, so an unreadable channel loses nothing.
    snapshot: null,
  }
}
