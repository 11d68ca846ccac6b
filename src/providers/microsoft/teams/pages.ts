import { z } from 'zod'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Listed } from '../../feed.ts'
import { ProviderError, returnIf } from '../../adapter.ts'
import { storedBelow } from '../../stored-ids.ts'
import { type GraphPage, isClosed } from '../shared/graph.ts'
import { listedIn, type Step } from '../shared/position-feed.ts'
import { channelPath } from './channels.ts'
import { Thread, threadItemId } from './message.ts'
import type { Position } from './position.ts'
import type { TeamsRun } from './read-thread.ts'

const TOP_MAX = 50
const REMOVED_AT_ONCE = 1_000
/** Clocks differ, and reading a message twice changes nothing. */
const MARGIN_MS = HOUR_MS
const Named = z.object({ id: z.string().min(1) })

/** What a run has done. */
export interface Progress {
  run: TeamsRun
  /** Channels whose changes it has read. */
  read: Set<string>
  /** Channels that it started over. */
  restarted: Set<string>
  /** The rest of the current survey. */
  missing: string[] | undefined
}

const NOTHING = { listed: [], gone: [] }

/** Starts a channel over, once, if Graph no longer knows its token. Leaves out a closed channel. */
function forgive({ run, restarted }: Progress, position: Position, id: string, error: unknown): void {
  const isStale = error instanceof ProviderError && error.kind === 'cursor_expired'
  if (isStale && !restarted.has(id)) beginCrawl(run, position, id)
  else if (isClosed(error)) close(position, id)
  else throw error
  restarted.add(id)
  surveyLater(position, id)
}

/** The next page of channels that are crawled; undefined if there is none. */
export async function crawlPage(progress: Progress, position: Position): Promise<Step<Thread>> {
  const [id, state] = Object.entries(position.channels).find(([, { crawl }]) => crawl !== null) ?? []
  if (id === undefined || state === undefined) return undefined
  try {
    const page = await progress.run.graph.page(state.crawl ?? '', Thread)
    state.crawl = page.next
    return { listed: threadsIn(id, page), gone: [] }
  } catch (error) {
    forgive(progress, position, id, error)
    return NOTHING
  }
}

/** The next page of changes; undefined when this run has read all. */
export async function changePage(progress: Progress, position: Position): Promise<Step<Thread>> {
  const { run, read } = progress
  const id = Object.keys(position.channels).find((one) => !read.has(one))
  const state = position.channels[id ?? '']
  if (id === undefined || state === undefined) return undefined
  try {
    const page = await run.graph.page(state.link, Thread)
    state.link = page.next ?? page.delta ?? state.link
    if (page.next === null) read.add(id)
    return { listed: threadsIn(id, page), gone: [] }
  } catch (error) {
    forgive(progress, position, id, error)
    return NOTHING
  }
}

/** Stored threads of a channel that no longer exist. */
export async function surveyPage(progress: Progress, position: Position): Promise<Step<Thread>> {
  const [id] = position.surveys
  if (id === undefined) return undefined
  const missing = (progress.missing ??= await missingIn(progress.run, id))
  const gone = missing.splice(0, REMOVED_AT_ONCE)
  if (missing.length === 0) {
    position.surveys.shift()
    progress.missing = undefined
  }
  return { listed: [], gone }
}

/** Adds new channels to the position and removes missing ones. */
export function matchChannels(run: TeamsRun, position: Position): void {
  for (const id of Object.keys(position.channels)) if (!run.channels.has(id)) close(position, id)
  for (const id of run.channels.keys())
    if (!Object.hasOwn(position.channels, id)) beginCrawl(run, position, id)
}

/** The changes begin before the crawl. */
function beginCrawl(run: TeamsRun, position: Position, id: string): void {
  const since = new Date(run.session.clock.now().getTime() - MARGIN_MS).toISOString()
  const filter = encodeURIComponent(`lastModifiedDateTime gt ${since}`)
  const link = `${messagesOf(run, id)}/delta?${pageOf(run)}&$filter=${filter}`
  position.channels[id] = { link, crawl: firstPage(run, id) }
}

function close(position: Position, id: string): void {
  delete position.channels[id]
  surveyLater(position, id)
}

function surveyLater({ surveys }: Position, id: string): void {
  if (!surveys.includes(id)) surveys.push(id)
}

const threadsIn = (channel: string, { entries, unknown }: GraphPage<Thread>): Listed<Thread>[] =>
  listedIn(entries, unknown, (id) => threadItemId(channel, id))

async function missingIn(run: TeamsRun, id: string): Promise<string[]> {
  const messages = run.channels.has(id)
    ? await run.graph.all(`${messagesOf(run, id)}?$top=${TOP_MAX}`, Named).catch(returnIf(isClosed, []))
    : []
  const there = new Set(messages.map((message) => threadItemId(id, message.id)))
  return (await storedBelow(run.session, threadItemId(id, ''))).filter((stored) => !there.has(stored))
}

const firstPage = (run: TeamsRun, id: string): string => `${messagesOf(run, id)}?${pageOf(run)}`

const pageOf = ({ itemsPerPage }: TeamsRun): string =>
  `$top=${Math.min(itemsPerPage, TOP_MAX)}&$expand=replies`

function messagesOf({ channels }: TeamsRun, id: string): string {
  const channel = channels.get(id)
  if (channel === undefined) throw new Error('a channel without a team has no messages')
  return `${channelPath(channel)}/messages`
}
