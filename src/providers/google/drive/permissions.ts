import {
  isRejected,
  type PermissionsEnd,
  type PermissionsPage,
  ProviderError,
  type ProviderErrorKind,
  returnIf,
} from '../../adapter.ts'
import { mapBounded } from '../../map-bounded.ts'
import { groupMembersOf } from './access-policy.ts'
import { changesAfter } from './changes.ts'
import { isFolderNew, isOfFeed } from './crawl.ts'
import type { DriveCursor } from './cursor.ts'
import { hasContent } from './file-items.ts'
import { filesBelow } from './folder-walk.ts'
import { driveFile, FOLDER, itemId, MY_DRIVE, type DriveFile, type DriveRun } from './run.ts'
import { inParts } from '../../../kernel/in-parts.ts'

const AT_ONCE = 4
const PAGE_SIZE = 50
const FOR_A_RUN = new Set<ProviderErrorKind>(['rejected', 'cursor_expired'])

/** Yields the readers of what changed since the runs' position, and shared drives' members. */
export async function* permissionsOf(
  run: DriveRun,
  state: DriveCursor,
): AsyncGenerator<PermissionsPage, PermissionsEnd> {
  const drives = Object.keys(state.feeds).filter((feed) => feed !== MY_DRIVE)
  for (const driveId of drives) {
    // None when the account can no longer see them or the drive.
    const members = (await run.policies.membersOf(driveId)) ?? groupMembersOf([])
    yield { groups: [{ id: driveId, members }], policies: [] }
  }
  let needsRun = false
  for (const feed of Object.keys(state.feeds)) needsRun = (yield* changesIn(run, state, feed)) || needsRun
  return { groupIds: drives, needsRun }
}

/** @returns whether something changed that only a run can read */
async function* changesIn(
  run: DriveRun,
  state: DriveCursor,
  feed: string,
): AsyncGenerator<PermissionsPage, boolean> {
  let needsRun = false
  try {
    for await (const { changes } of changesAfter(run, feed, state.feeds[feed] ?? '')) {
      const hidden: string[] = []
      const files: DriveFile[] = []
      for (const { fileId, removed, file } of changes) {
        const isGone = removed === true || file?.trashed === true || !file
        if (!isGone && isOfFeed(state, feed, file)) files.push(driveFile(file))
        else hidden.push(itemId(feed, fileId ?? ''))
        // Google does not report the contents of a removed folder, or of a shortcut's target, one by one.
        needsRun ||= isGone && Object.hasOwn(state.folders, itemId(feed, fileId ?? ''))
        needsRun ||= isGone && state.followed.some((entry) => entry.id === fileId)
      }
      yield { groups: [], policies: hidden.map((externalId) => ({ externalId, accessPolicy: null })) }
      yield* policiesOf(run, feed, files.filter(hasContent))
      for (const folder of files.filter(({ mimeType }) => mimeType === FOLDER)) {
        run.folders.learn(folder)
        if (!isFolderNew(state, feed, folder)) continue
        for await (const below of filesBelow(run, feed, folder.id, () => {}))
          yield* policiesOf(run, feed, below.filter(hasContent))
      }
    }
  } catch (error) {
    // The shared drive refuses this account now, or the position is too old: a run handles both.
    if (!(error instanceof ProviderError) || !FOR_A_RUN.has(error.kind)) throw error
    return true
  }
  return needsRun
}

async function* policiesOf(
  run: DriveRun,
  feed: string,
  files: readonly DriveFile[],
): AsyncGenerator<PermissionsPage> {
  for (const some of inParts(files, PAGE_SIZE)) {
    const policies = await mapBounded(some, AT_ONCE, async (file) => ({
      externalId: itemId(feed, file.id),
      // Hides a file whose permissions Google refuses to list, instead of leaving its old policy.
      accessPolicy: await run.policies.policyOf(file).catch(returnIf(isRejected, null)),
    }))
    yield { groups: [], policies }
  }
}
