import { returnIf } from '../../adapter.ts'
import type { Feed } from '../../feed.ts'
import { isMissing, isStale } from '../shared/graph.ts'
import { createPositionFeed, type LinkedPart, listedIn, NOTHING } from '../shared/position-feed.ts'
import { changesAt, type DriveChanges, firstPage, latestLink } from './changes.ts'
import { type DriveItem, itemId } from './drive-item.ts'
import { policyOrHidden } from './permissions.ts'
import { emptyPosition, Position } from './position.ts'
import { driveOf, type DriveRun, readDriveItem } from './read-file.ts'
import { type DriveSurvey, surveyDrive } from './survey.ts'

const REMOVED_AT_ONCE = 1_000
/** Beyond this, all files of the drive are read again, which keeps the position small. */
const FOLDERS_MAX = 500

/**
 * The files of all drives by delta queries (https://learn.microsoft.com/graph/api/driveitem-delta). Graph reports a
 * folder that was renamed, moved, shared or deleted, but not the files in it; a survey finds these.
 */
export function createDriveFeed(run: DriveRun): Feed<DriveItem> {
  const { graph, itemsPerPage } = run
  let current: DriveSurvey | undefined
  return createPositionFeed<Position, LinkedPart, DriveItem>({
    schema: Position,
    empty: emptyPosition,
    match: (position) => matchDrives(run, position),
    partsIn: ({ drives }) => drives,
    isCrawled: ({ crawl }) => crawl === null,
    async crawl(_position, id, drive) {
      try {
        const page = await changesAt(graph, drive.crawl ?? '')
        drive.crawl = page.next
        return { listed: filesIn(id, page), gone: [] }
      } catch (error) {
        if (isStale(error)) drive.crawl = firstPage(id, itemsPerPage)
        else if (isMissing(error)) drive.crawl = null
        else throw error
        return NOTHING
      }
    },
    async changes(position, id, drive) {
      try {
        const page = await changesAt(graph, drive.link)
        const { folders, gone, next, delta } = page
        drive.link = next ?? delta ?? drive.link
        const hasLost = gone.some(({ file }) => file == null)
        if (hasLost || folders.length > 0) surveyLater(position, id, folders)
        return {
          listed: filesIn(id, page),
          gone: gone.map((item) => itemId(id, item.id)),
          isRead: next === null,
        }
      } catch (error) {
        // Graph may also answer 404 for a token that it no longer knows.
        if (!isStale(error) && !isMissing(error)) throw error
        // The next run handles a missing drive.
        if (!(await beginCrawl(run, position, id))) return { ...NOTHING, isRead: true }
        surveyLater(position, id, [])
        return NOTHING
      }
    },
    /** The next files of a survey: missing ones, then those in changed folders. */
    async survey({ surveys }) {
      const [drive, state] = Object.entries(surveys)[0] ?? []
      if (drive === undefined || state === undefined) return undefined
      const { missing, below } = (current ??= await surveyDrive(run, drive, state.folders))
      if (missing.length > 0) return { listed: [], gone: missing.splice(0, REMOVED_AT_ONCE) }
      const files = below.filter(({ id }) => id > (state.after ?? '')).slice(0, itemsPerPage)
      state.after = files.at(-1)?.id ?? state.after
      if (files.length < itemsPerPage) {
        delete surveys[drive]
        current = undefined
      }
      return { listed: filesIn(drive, { files, unknown: [] }), gone: [] }
    },
    isSurveyed: ({ surveys }) => Object.keys(surveys).length === 0,
    read: (externalId, entry) => readDriveItem(run, externalId, entry),
    isWithinReach: (externalId) => driveOf(run, externalId) !== undefined,
    readersOf: (externalId) => policyOrHidden(run, externalId),
  })
}

const filesIn = (drive: string, { files, unknown }: Pick<DriveChanges, 'files' | 'unknown'>) =>
  listedIn(files, unknown, (id) => itemId(drive, id))

/** Adds new drives to the position and removes missing ones. */
async function matchDrives(run: DriveRun, position: Position): Promise<void> {
  for (const id of Object.keys(position.drives)) {
    if (run.drives.has(id)) continue
    delete position.drives[id]
    position.surveys[id] = { folders: [], after: null }
  }
  for (const id of run.drives.keys())
    if (!Object.hasOwn(position.drives, id)) await beginCrawl(run, position, id)
}

/** The position of the changes is read before the crawl. False if the drive was removed after it was listed. */
async function beginCrawl(
  { graph, itemsPerPage }: DriveRun,
  position: Position,
  drive: string,
): Promise<boolean> {
  const link = await latestLink(graph, drive, itemsPerPage).catch(returnIf(isMissing, null))
  if (link === null) return false
  position.drives[drive] = { link, crawl: firstPage(drive, itemsPerPage) }
  return true
}

/** What an interrupted survey has read is also read again, because its folders may have changed since. */
function surveyLater(position: Position, drive: string, changed: readonly DriveItem[]): void {
  const before = position.surveys[drive] ?? { folders: [] }
  const folders =
    before.folders === null ? null : [...new Set([...before.folders, ...changed.map(({ id }) => id)])]
  position.surveys[drive] = {
    folders: folders !== null && folders.length > FOLDERS_MAX ? null : folders,
    after: null,
  }
}
