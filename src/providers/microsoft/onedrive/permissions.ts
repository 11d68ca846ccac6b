import { mapBounded } from '../../map-bounded.ts'
import { isRejected, type PermissionsEnd, type PermissionsPage, returnIf } from '../../adapter.ts'
import { storedPages } from '../../stored-ids.ts'
import { isMissing, isStale } from '../shared/graph.ts'
import { changesAt } from './changes.ts'
import { type DriveItem, itemId } from './drive-item.ts'
import type { Position } from './position.ts'
import { driveOf, type DriveRun, whyUnread } from './read-file.ts'

const AT_ONCE = 4
/** Stored files whose permissions a poll reads, whether or not they changed. */
const WINDOW = 200

/**
 * The readers of what changed since the runs' position, and of some other stored files, because Graph reports only
 * permission changes that concern the user.
 */
export async function* permissionsOf(
  run: DriveRun,
  position: Position,
): AsyncGenerator<PermissionsPage, PermissionsEnd> {
  const organization = await run.readers.organization()
  if (organization !== null) yield { groups: [organization], policies: [] }
  let needsRun = false
  for (const [drive, { link }] of Object.entries(position.drives)) {
    if (!run.drives.has(drive)) needsRun = true
    else needsRun = (yield* changedIn(run, drive, link)) || needsRun
  }
  yield* policiesPage(run, await storedWindow(run))
  return { groupIds: organization === null ? [] : [organization.id], needsRun }
}

/** @returns whether something changed that only a run can read */
async function* changedIn(
  run: DriveRun,
  drive: string,
  link: string,
): AsyncGenerator<PermissionsPage, boolean> {
  let needsRun = false
  try {
    for (let address: string | null = link; address !== null;) {
      const { files, folders, gone, next } = await changesAt(run.graph, address)
      const hidden = gone.map(({ id }) => ({ externalId: itemId(drive, id), accessPolicy: null }))
      // Only a run finds the files in a folder.
      needsRun ||= folders.length > 0 || gone.some(({ file }) => file == null)
      yield { groups: [], policies: hidden }
      yield* policiesPage(run, readable(run, drive, files))
      address = next
    }
  } catch (error) {
    // The drive no longer exists, or the position is too old: a run handles both.
    if (!isStale(error) && !isMissing(error)) throw error
    return true
  }
  return needsRun
}

const readable = (run: DriveRun, drive: string, files: readonly DriveItem[]): string[] =>
  files.filter((item) => whyUnread(run, item) === null).map(({ id }) => itemId(drive, id))

async function* policiesPage(run: DriveRun, ids: readonly string[]): AsyncGenerator<PermissionsPage> {
  if (ids.length === 0) return
  const policies = await mapBounded(ids, AT_ONCE, async (externalId) => ({
    externalId,
    accessPolicy: await policyOrHidden(run, externalId),
  }))
  yield { groups: [], policies }
}

/** The readers of a file; null, which hides it, if it no longer exists. */
export async function policyOrHidden(run: DriveRun, externalId: string) {
  run.session.signal.throwIfAborted()
  const { readers } = run
  return await readers.policyOf(externalId, driveOf(run, externalId)).catch(returnIf(isRejected, null))
}

/** All stored files, or a random selection. */
async function storedWindow({ session }: DriveRun): Promise<string[]> {
  const ids: string[] = []
  for await (const page of storedPages(session, { from: '', to: null })) ids.push(...page)
  const windows = Math.max(1, Math.ceil(ids.length / WINDOW))
  const start = Math.floor(session.random() * windows) * WINDOW
  return ids.slice(start, start + WINDOW)
}
