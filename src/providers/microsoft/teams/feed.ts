import type { Feed } from '../../feed.ts'
import { createPositionFeed } from '../shared/position-feed.ts'
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
  const isDone = ({ channels, surveys }: Position): boolean =>
    surveys.length === 0 &&
    Object.entries(channels).every(([id, { crawl }]) => crawl === null && progress.read.has(id))
  return createPositionFeed<Position, Thread>({
    schema: Position,
    empty: emptyPosition,
    match: (position) => matchChannels(run, position),
    crawl: (position) => crawlPage(progress, position),
    isCrawled: ({ channels }) => Object.values(channels).every(({ crawl }) => crawl === null),
    async changes(position) {
      for (;;) {
        run.session.signal.throwIfAborted()
        const step =
          (await crawlPage(progress, position)) ??
          (await changePage(progress, position)) ??
          (await surveyPage(progress, position))
        // Most channels have no changes: they share a page.
        if (isDone(position) || (step !== undefined && step.listed.length + step.gone.length > 0)) return step
      }
    },
    isDone,
    read: (externalId, entry) => readThread(run, externalId, entry),
  })
}
