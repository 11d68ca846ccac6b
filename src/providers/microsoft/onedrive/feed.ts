import type { Feed } from '../../feed.ts'
import { createPositionFeed } from '../shared/position-feed.ts'
import type { DriveItem } from './drive-item.ts'
import { changePage, crawlPage, matchDrives, type Progress, surveyPage } from './pages.ts'
import { policyOrHidden } from './permissions.ts'
import { emptyPosition, Position } from './position.ts'
import { type DriveRun, readDriveItem } from './read-file.ts'

/**
 * The files of all drives by delta queries (https://learn.microsoft.com/graph/api/driveitem-delta). Graph reports a
 * folder that was renamed, moved, shared or deleted, but not the files in it; a survey finds these.
 */
export function createDriveFeed(run: DriveRun): Feed<DriveItem> {
  const progress: Progress = { run, read: new Set(), survey: undefined }
  return createPositionFeed<Position, DriveItem>({
    schema: Position,
    empty: emptyPosition,
    match: (position) => matchDrives(run, position),
    crawl: (position) => crawlPage(run, position),
    isCrawled: ({ drives }) => Object.values(drives).every(({ crawl }) => crawl === null),
    async changes(position) {
      run.session.signal.throwIfAborted()
      return (
        (await crawlPage(run, position)) ??
        (await changePage(progress, position)) ??
        (await surveyPage(progress, position))
      )
    },
    isDone({ drives, surveys }) {
      const isRead = Object.entries(drives).every(
        ([id, { crawl }]) => crawl === null && progress.read.has(id),
      )
      return isRead && Object.keys(surveys).length === 0
    },
    read: (externalId, entry) => readDriveItem(run, externalId, entry),
    readersOf: (externalId) => policyOrHidden(run, externalId),
  })
}
