import type { Feed } from '../../feed.ts'
import { ProviderError } from '../../adapter.ts'
import type { DriveItem } from './drive-item.ts'
import { changePage, crawlPage, matchDrives, type Progress, surveyPage } from './pages.ts'
import { emptyPosition, Position } from './position.ts'
import { type DriveRun, readDriveItem } from './read-file.ts'

/**
 * The files of all drives by delta queries (https://learn.microsoft.com/graph/api/driveitem-delta). Graph reports a
 * folder that was renamed, moved, shared or deleted, but not the files in it; a survey finds these.
 */
export function createDriveFeed(run: DriveRun): Feed<DriveItem> {
  const progress: Progress = { run, read: new Set(), survey: undefined }
  let isMatched = false
  let started = emptyPosition()

  async function match(position: Position): Promise<void> {
    if (!isMatched) await matchDrives(run, position)
    isMatched = true
  }

  return {
    async start() {
      started = emptyPosition()
      await match(started)
      return started
    },
    async list(after) {
      const position = after === null ? structuredClone(started) : Position.parse(after)
      await match(position)
      const step = await crawlPage(run, position)
      const isLast = Object.values(position.drives).every(({ crawl }) => crawl === null)
      return { listed: step?.listed ?? [], next: position, isLast, ...(isLast && { since: position }) }
    },
    async changes(since) {
      run.session.signal.throwIfAborted()
      const { data: position } = Position.safeParse(since)
      if (position === undefined)
        throw new ProviderError('cursor_expired', 'The cursor belongs to another version')
      await match(position)
      const step =
        (await crawlPage(run, position)) ??
        (await changePage(progress, position)) ??
        (await surveyPage(progress, position))
      return { listed: [], gone: [], ...step, next: position, isLast: isDone(position, progress) }
    },
    read: (externalId, entry) => readDriveItem(run, externalId, entry),
  }
}

function isDone({ drives, surveys }: Position, { read }: Progress): boolean {
  const isRead = Object.entries(drives).every(([id, { crawl }]) => crawl === null && read.has(id))
  return isRead && Object.keys(surveys).length === 0
}
