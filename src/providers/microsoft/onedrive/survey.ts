import { storedBelow } from '../../stored-ids.ts'
import { changesAt, firstPage } from './changes.ts'
import { type DriveItem, itemId } from './drive-item.ts'
import type { DriveRun } from './read-file.ts'

const LISTED_AT_ONCE = 1_000
const ROUNDS_MAX = 5

export interface DriveSurvey {
  /** Stored files that no longer exist. */
  missing: string[]
  /** Files below the folders, by id. */
  below: DriveItem[]
}

/**
 * Compares a drive's stored files with its current ones. It lists the whole drive with a delta query, because folder
 * lists may miss what moves meanwhile (https://learn.microsoft.com/graph/api/driveitem-delta).
 */
export async function surveyDrive(
  run: DriveRun,
  drive: string,
  folders: readonly string[] | null,
): Promise<DriveSurvey> {
  const { items, removed, unknown } = run.drives.has(drive) ? await listAll(run, drive) : NOTHING
  const wanted = new Set(folders)
  const below: DriveItem[] = []
  // An unknown format is no reason to delete.
  const there = new Set([...unknown].map((id) => itemId(drive, id)))
  for (const item of items.values()) {
    const above = foldersAbove(items, item)
    // Parent folders may be inaccessible to the account, but none may be deleted.
    if (item.folder != null || above.some((id) => removed.has(id))) continue
    there.add(itemId(drive, item.id))
    if (folders === null || above.some((id) => wanted.has(id))) below.push(item)
  }
  const stored = await storedBelow(run.session, `${drive}/`)
  return {
    missing: stored.filter((id) => !there.has(id)),
    below: below.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  }
}

const NOTHING = {
  items: new Map<string, DriveItem>(),
  removed: new Set<string>(),
  unknown: new Set<string>(),
}

/** Everything in a drive, and what was removed meanwhile. */
async function listAll({ graph, session }: DriveRun, drive: string): Promise<typeof NOTHING> {
  const items = new Map<string, DriveItem>()
  const removed = new Set<string>()
  const unknown = new Set<string>()
  let address = firstPage(drive, LISTED_AT_ONCE)
  for (let round = 0, changed = 0; round < ROUNDS_MAX;) {
    session.signal.throwIfAborted()
    const { files, folders, gone, next, delta, ...more } = await changesAt(graph, address)
    for (const id of more.unknown) unknown.add(id)
    for (const item of [...files, ...folders]) {
      items.set(item.id, item)
      removed.delete(item.id)
    }
    for (const { id } of gone) {
      items.delete(id)
      removed.add(id)
    }
    changed += files.length + folders.length + gone.length
    address = next ?? delta ?? ''
    if (next !== null) continue
    // The next round has what changed during this one.
    if (changed === 0 || delta === null) break
    changed = 0
    round += 1
  }
  return { items, removed, unknown }
}

function foldersAbove(items: ReadonlyMap<string, DriveItem>, item: DriveItem): string[] {
  const above: string[] = []
  for (let id = item.parentReference?.id; id != null && !above.includes(id);) {
    above.push(id)
    id = items.get(id)?.parentReference?.id
  }
  return above
}
