import type { drive_v3 } from '@googleapis/drive'
import type { LimitFunction } from 'p-limit'
import type { TextExtractor } from '../../../file-text/index.ts'
import { type AccessPolicy, type GroupMembers, ProviderError, type ProviderSession } from '../../provider.ts'
import type { GoogleCalls } from '../shared/calls.ts'
import type { ItemFailures } from '../shared/item-failures.ts'

/** The feed of the user's own Drive and what is shared with them; every other feed is a shared drive's id. */
export const MY_DRIVE = 'my'

export const FOLDER = 'application/vnd.google-apps.folder'
export const SHORTCUT = 'application/vnd.google-apps.shortcut'

/** What is asked of a permission, everywhere the same so that hashes agree. */
export const PERMISSION_FIELDS =
  'id,emailAddress,type,domain,allowFileDiscovery,deleted,view,permissionDetails(permissionType)'

export const FILE_FIELDS = [
  'id',
  'name',
  'mimeType',
  'trashed',
  'driveId',
  'parents',
  'owners(displayName,emailAddress)',
  'lastModifyingUser(displayName,emailAddress)',
  'createdTime',
  'modifiedTime',
  'webViewLink',
  'size',
  'shortcutDetails(targetId,targetMimeType)',
  `permissions(${PERMISSION_FIELDS})`,
  'hasAugmentedPermissions',
  'inheritedPermissionsDisabled',
  'ownedByMe',
  'sharedWithMeTime',
].join(',')

/** A file of the API with the fields every answer has. */
export type DriveFile = drive_v3.Schema$File & { id: string; name: string; mimeType: string }

/** Who may see the files of one run, asked once for each shared drive. */
export interface AccessPolicies {
  /** Null when Google does not tell this account who may see the file. */
  policyOf(run: DriveRun, file: DriveFile): Promise<AccessPolicy | null>
  /** The members of a shared drive; null when Google does not tell. */
  membersOf(run: DriveRun, driveId: string): Promise<GroupMembers | null>
}

/** `limited`: not the drive's members; `augmented`: others too; `drive`: the drive's members alone. */
export type Sharing = 'limited' | 'augmented' | 'drive'

/** Names of folders by id, for the length of one run. */
export interface FolderPaths {
  /** Remembers a folder that an answer happened to hold. */
  learn(folder: drive_v3.Schema$File): void
  /** Lists all folders of a feed at once: much cheaper than one by one when everything is read. */
  learnAll(run: DriveRun, feed: string): Promise<void>
  /** The folders a file lies in, outermost first, joined with ` / `; null at the top or where nothing may be seen. */
  pathOf(run: DriveRun, file: DriveFile): Promise<string | null>
  /** Whom a file of a shared drive, or a folder above it, has its readers from. */
  sharingOf(run: DriveRun, file: DriveFile): Promise<Sharing>
}

/**
 * The shared drives of an account. `isKnown` is false where Google refuses to list them: that says nothing about which there
 * are, so nothing may be removed for it.
 */
export interface SharedDrives {
  names: ReadonlyMap<string, string>
  isKnown: boolean
}

/** Everything the steps of one run share. */
export interface DriveRun {
  session: ProviderSession
  api: drive_v3.Drive
  call: GoogleCalls
  extractor: TextExtractor
  failures: ItemFailures
  folders: FolderPaths
  policies: AccessPolicies
  drives: SharedDrives
  /** Lets one large file be held at a time. */
  oneLarge: LimitFunction
}

/** The file of an answer; throws ProviderError when the answer lacks what every file has. */
export function driveFile(file: drive_v3.Schema$File | undefined): DriveFile {
  const { id, name, mimeType } = file ?? {}
  if (!id || !mimeType)
    throw new ProviderError('unavailable', 'Google Drive answered with a file without an id')
  return { ...file, id, name: name || 'Untitled', mimeType }
}

/** Reads one file's metadata. Throws GoogleError; 404 when it is gone or no longer shared. */
export async function getFile(run: DriveRun, fileId: string): Promise<DriveFile> {
  const data = await run.call((options) =>
    run.api.files.get({ fileId, fields: FILE_FIELDS, supportsAllDrives: true }, options),
  )
  return driveFile(data)
}

/** How a feed is named in `files.list`. */
export function corpusOf(feed: string): { corpora: string; driveId?: string } {
  return feed === MY_DRIVE ? { corpora: 'user' } : { corpora: 'drive', driveId: feed }
}

/** One page of `files.list`. `files` has the fields asked for, `next` is null on the last page. */
export async function listFiles(
  run: DriveRun,
  input: { feed: string; query: string; fields: string; pageSize: number; pageToken: string | null },
): Promise<{ files: drive_v3.Schema$File[]; next: string | null; incomplete: boolean }> {
  const data = await run.call((options) =>
    run.api.files.list(
      {
        ...corpusOf(input.feed),
        q: input.query,
        fields: `nextPageToken,incompleteSearch,files(${input.fields})`,
        pageSize: input.pageSize,
        supportsAllDrives: true,
        includeItemsFromAllDrives: true,
        ...(input.pageToken === null ? {} : { pageToken: input.pageToken }),
      },
      options,
    ),
  )
  return {
    files: data.files ?? [],
    next: data.nextPageToken ?? null,
    incomplete: data.incompleteSearch === true,
  }
}

/**
 * The item id of a file: its feed and its id. With the feed in it, what a shared drive's feed says about a file that moved
 * never undoes what another feed says, and all items of a drive are one range of ids.
 */
export const itemId = (feed: string, fileId: string) => `${feed}/${fileId}`

/** The range of item ids that begin with `prefix` and a slash; `0` follows the slash in ASCII. */
export const rangeUnder = (prefix: string) => ({ from: `${prefix}/`, to: `${prefix}0` })
