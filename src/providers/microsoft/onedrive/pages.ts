import { ProviderError } from '../../adapter.ts'
import { isMissing } from '../shared/graph.ts'
import { listedIn, type Step } from '../shared/position-feed.ts'
import { changesAt, firstPage, latestLink } from './changes.ts'
import { type DriveItem, itemId } from './drive-item.ts'
import type { Position } from './position.ts'
import type { DriveRun } from './read-file.ts'
import { type DriveSurvey, surveyDrive } from './survey.ts'

const REMOVED_AT_ONCE = 1_000
/** Beyond this, all files of the drive are read again, which keeps the position small. */
const FOLDERS_MAX = 500

/** What a run has done. */
export interface Progress {
  run: DriveRun
  /** Drives whose changes it has read. */
  read: Set<string>
  survey: DriveSurvey | undefined
}

/** Adds new drives to the position and removes missing ones. */
export async function matchDrives(run: DriveRun, position: Position): Promise<void> {
  for (const id of Object.keys(position.drives)) {
    if (run.drives.has(id)) continue
    delete position.drives[id]
    position.surveys[id] = { folders: [], after: null }
  }
  for (const id of run.drives.keys())
    if (!Object.hasOwn(position.drives, id)) await beginCrawl(run, position, id)
}

/** The position of the changes is read before the crawl. */
async function beginCrawl(
  { graph, itemsPerPage }: DriveRun,
  position: Position,
  drive: string,
): Promise<void> {
  try {
    const link = await latestLink(graph, drive, itemsPerPage)
    position.drives[drive] = { link, crawl: firstPage(drive, itemsPerPage) }
  } catch (error) {
    // It was removed after it was listed.
    if (!isMissing(error)) throw error
    delete position.drives[drive]
  }
}

/** The next page of drives that are crawled; undefined if there is none. */
export async function crawlPage(
  { graph, itemsPerPage }: DriveRun,
  position: Position,
): Promise<Step<DriveItem>> {
  const [drive, state] = Object.entries(position.drives).find(([, { crawl }]) => crawl !== null) ?? []
  if (drive === undefined || state === undefined) return undefined
  try {
    const { files, unknown, next } = await changesAt(graph, state.crawl ?? '')
    state.crawl = next
    return { listed: listedIn(files, unknown, (id) => itemId(drive, id)), gone: [] }
  } catch (error) {
    if (isStale(error)) state.crawl = firstPage(drive, itemsPerPage)
    else if (isMissing(error)) state.crawl = null
    else throw error
    return { listed: [], gone: [] }
  }
}

/** The next page of changes; undefined when this run has read all. */
export async function changePage({ run, read }: Progress, position: Position): Promise<Step<DriveItem>> {
  const [drive, state] = Object.entries(position.drives).find(([id]) => !read.has(id)) ?? []
  if (drive === undefined || state === undefined) return undefined
  try {
    const { files, unknown, folders, gone, next, delta } = await changesAt(run.graph, state.link)
    state.link = next ?? delta ?? state.link
    if (next === null) read.add(drive)
    const hasLost = gone.some(({ file }) => file == null)
    if (hasLost || folders.length > 0) surveyLater(position, drive, folders)
    return {
      listed: listedIn(files, unknown, (id) => itemId(drive, id)),
      gone: gone.map(({ id }) => itemId(drive, id)),
    }
  } catch (error) {
    // The next run handles a missing drive.
    if (isMissing(error)) read.add(drive)
    else if (isStale(error)) {
      await beginCrawl(run, position, drive)
      surveyLater(position, drive, [])
    } else throw error
    return { listed: [], gone: [] }
  }
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

/** The next files of a survey: missing ones, then those in changed folders; undefined if there is none. */
export async function surveyPage(progress: Progress, position: Position): Promise<Step<DriveItem>> {
  const { run } = progress
  const [drive, state] = Object.entries(position.surveys)[0] ?? []
  if (drive === undefined || state === undefined) return undefined
  const { missing, below } = (progress.survey ??= await surveyDrive(run, drive, state.folders))
  if (missing.length > 0) return { listed: [], gone: missing.splice(0, REMOVED_AT_ONCE) }
  const files = below.filter(({ id }) => id > (state.after ?? '')).slice(0, run.itemsPerPage)
  state.after = files.at(-1)?.id ?? state.after
  if (files.length < run.itemsPerPage) {
    delete position.surveys[drive]
    progress.survey = undefined
  }
  return { listed: listedIn(files, [], (id) => itemId(drive, id)), gone: [] }
}

/** Graph no longer accepts the delta token. */
export const isStale = (error: unknown): boolean =>
  error instanceof ProviderError && error.kind === 'cursor_expired'
