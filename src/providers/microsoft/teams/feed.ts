import { z } from 'zod'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Feed } from '../../feed.ts'
import { returnIf } from '../../adapter.ts'
import { storedBelow } from '../../stored-ids.ts'
import { type GraphPage, isClosed, isStale } from '../shared/graph.ts'
import { createPositionFeed, type LinkedPart, listedIn, NOTHING, type Step } from '../shared/position-feed.ts'
import { channelPath } from './channels.ts'
import { partsOf, Thread, threadItemId } from './message.ts'
import { emptyPosition, Position } from './position.ts'
import { readThread, type TeamsRun } from './read-thread.ts'

const TOP_MAX = 50
const REMOVED_AT_ONCE = 1_000
/** Clocks differ, and reading a message twice changes nothing. */
const MARGIN_MS = HOUR_MS
const Named = z.object({ id: z.string().min(1) })

/**
 * The threads of all channels. Lists have each thread with its replies, and reach back to the first one; delta queries
 * report threads of the last eight months that changed (https://learn.microsoft.com/graph/api/chatmessage-delta).
 */
export function createChannelFeed(run: TeamsRun): Feed<Thread> {
  /** Channels that this run started over. */
  const restarted = new Set<string>()
  /** The rest of the current survey. */
  let missing: string[] | undefined

  /** Starts a channel over, once, if Graph no longer knows its token. Leaves out a closed channel. */
  function forgive(position: Position, id: string, error: unknown): Step<Thread> {
    if (isStale(error) && !restarted.has(id)) beginCrawl(run, position, id)
    else if (isClosed(error)) close(position, id)
    else throw error
    restarted.add(id)
    surveyLater(position, id)
    return NOTHING
  }

  return createPositionFeed<Position, LinkedPart, Thread>({
    schema: Position,
    empty: emptyPosition,
    match: (position) => matchChannels(run, position),
    partsIn: ({ channels }) => channels,
    isCrawled: ({ crawl }) => crawl === null,
    async crawl(position, id, channel) {
      try {
        const page = await run.graph.page(channel.crawl ?? '', Thread)
        channel.crawl = page.next
        return { listed: threadsIn(id, page), gone: [] }
      } catch (error) {
        return forgive(position, id, error)
      }
    },
    async changes(position, id, channel) {
      try {
        const page = await run.graph.page(channel.link, Thread)
        channel.link = page.next ?? page.delta ?? channel.link
        return { listed: threadsIn(id, page), gone: [], isRead: page.next === null }
      } catch (error) {
        return forgive(position, id, error)
      }
    },
    /** Stored threads of a channel that no longer exist. */
    async survey({ surveys }) {
      const [id] = surveys
      if (id === undefined) return undefined
      missing ??= await missingIn(run, id)
      const gone = missing.splice(0, REMOVED_AT_ONCE)
      if (missing.length === 0) {
        surveys.shift()
        missing = undefined
      }
      return { listed: [], gone }
    },
    isSurveyed: ({ surveys }) => surveys.length === 0,
    read: (externalId, entry) => readThread(run, externalId, entry),
    isWithinReach: (externalId) => run.channels.has(partsOf(externalId).channel),
  })
}

/** Adds new channels to the position and removes missing ones. */
function matchChannels(run: TeamsRun, position: Position): void {
  for (const id of Object.keys(position.channels)) if (!run.channels.has(id)) close(position, id)
  for (const id of run.channels.keys())
    if (!Object.hasOwn(position.channels, id)) beginCrawl(run, position, id)
}

/** The changes begin before the crawl. */
function beginCrawl(run: TeamsRun, position: Position, id: string): void {
  const since = new Date(run.session.clock.now().getTime() - MARGIN_MS).toISOString()
  const filter = encodeURIComponent(`lastModifiedDateTime gt ${since}`)
  const page = `$top=${Math.min(run.itemsPerPage, TOP_MAX)}&$expand=replies`
  const messages = messagesOf(run, id)
  position.channels[id] = {
    link: `${messages}/delta?${page}&$filter=${filter}`,
    crawl: `${messages}?${page}`,
  }
}

function close(position: Position, id: string): void {
  delete position.channels[id]
  surveyLater(position, id)
}

function surveyLater({ surveys }: Position, id: string): void {
  if (!surveys.includes(id)) surveys.push(id)
}

const threadsIn = (channel: string, { entries, unknown }: GraphPage<Thread>) =>
  listedIn(entries, unknown, (id) => threadItemId(channel, id))

async function missingIn(run: TeamsRun, id: string): Promise<string[]> {
  const messages = run.channels.has(id)
    ? await run.graph.all(`${messagesOf(run, id)}?$top=${TOP_MAX}`, Named).catch(returnIf(isClosed, []))
    : []
  const there = new Set(messages.map((message) => threadItemId(id, message.id)))
  return (await storedBelow(run.session, threadItemId(id, ''))).filter((stored) => !there.has(stored))
}

function messagesOf({ channels }: TeamsRun, id: string): string {
  const channel = channels.get(id)
  if (channel === undefined) throw new Error('the state names a channel of an unknown team')
  return `${channelPath(channel)}/messages`
}
