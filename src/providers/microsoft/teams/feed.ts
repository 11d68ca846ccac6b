import type { Feed } from '../../feed.ts'
import { ProviderError } from '../../adapter.ts'
import type { Thread } from './message.ts'
import { changePage, crawlPage, matchChannels, type Progress, surveyPage } from './pages.ts'
import { emptyPosition, Position } from './position.ts'
import { readThread, type TeamsRun } from './read-thread.ts'

/**
 * The threads of all channels. Lists have each thread with its replies, and reach back to the first one; delta queries
 * report threads of the last eight months that changed (https://learn.microsoft.com/graph/api/chatmessage-delta).
 */
export function createChannelFeed(run: TeamsRun): Feed<Thread> {
  const progress: Progress = { run, read: new Set(), restarted: new Set(), missing: undefined }
  let isMatched = false
  let started = emptyPosition()

  function match(position: Position): void {
    if (!isMatched) matchChannels(run, position)
    isMatched = true
  }

  return {
    async start() {
      started = emptyPosition()
      match(started)
      return started
    },
    async list(after) {
      const position = after === null ? structuredClone(started) : Position.parse(after)
      match(position)
      const step = await crawlPage(progress, position)
      const isLast = Object.values(position.channels).every(({ crawl }) => crawl === null)
      return { listed: step?.listed ?? [], next: position, isLast, ...(isLast && { since: position }) }
    },
    async changes(since) {
      const { data: position } = Position.safeParse(since)
      if (position === undefined)
        throw new ProviderError('cursor_expired', 'The cursor belongs to another version')
      match(position)
      for (;;) {
        run.session.signal.throwIfAborted()
        const step =
          (await crawlPage(progress, position)) ??
          (await changePage(progress, position)) ??
          (await surveyPage(progress, position))
        const isLast = isDone(position, progress)
        // Most channels have no changes: they share a page.
        if (isLast || (step !== undefined && step.listed.length + step.gone.length > 0))
          return { listed: [], gone: [], ...step, next: position, isLast }
      }
    },
    read: (externalId, entry) => readThread(run, externalId, entry),
  }
}

const isDone = ({ channels, surveys }: Position, { read }: Progress): boolean =>
  surveys.length === 0 && Object.entries(channels).every(([id, { crawl }]) => crawl === null && read.has(id))
