import type { LimitFunction } from 'p-limit'
import { z } from 'zod'
import type { TextExtractor } from '../../../file-text/index.ts'
import { type AccessPolicy, type GroupMembers, ProviderError, type ProviderSession } from '../../adapter.ts'
import { type GoogleApi, pagesOf } from '../shared/calls.ts'
import type { OutageGuard } from '../../outage-guard.ts'
import { knownOf } from '../../rest.ts'

/** The feed of the user's own Drive and files shared with them. Every other feed is a shared drive's id. */
export const MY_DRIVE = 'my'

export const FOLDER = 'application/vnd.google-apps.folder'
export const SHORTCUT = 'application/vnd.google-apps.shortcut'

/** The permission fields to request. They must be the same everywhere so that hashes agree. */
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

const Person = z.object({ displayName: z.string().nullish(), emailAddress: z.string().nullish() })

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions */
export const Permission = z.object({
  id: z.string().nullish(),
  emailAddress: z.string().nullish(),
  type: z.string().nullish(),
  domain: z.string().nullish(),
  deleted: z.boolean().nullish(),
  view: z.string().nullish(),
  permissionDetails: z.array(z.object({ permissionType: z.string().nullish() })).nullish(),
})
export type Permission = z.output<typeof Permission>

/** The requested fields of https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
const KnownFile = z.object({
  id: z.string().nullish(),
  name: z.string().nullish(),
  mimeType: z.string().nullish(),
  trashed: z.boolean().nullish(),
  driveId: z.string().nullish(),
  parents: z.array(z.string()).nullish(),
  owners: z.array(Person).nullish(),
  lastModifyingUser: Person.nullish(),
  createdTime: z.string().nullish(),
  modifiedTime: z.string().nullish(),
  webViewLink: z.string().nullish(),
  size: z.string().nullish(),
  shortcutDetails: z.object({ targetId: z.string().nullish() }).nullish(),
  permissions: knownOf(Permission).nullish(),
  hasAugmentedPermissions: z.boolean().nullish(),
  inheritedPermissionsDisabled: z.boolean().nullish(),
  ownedByMe: z.boolean().nullish(),
  sharedWithMeTime: z.string().nullish(),
})
export type File = z.output<typeof KnownFile>

const Identified = z.object({ id: z.string() })

/** A file in an unknown format has only its ID, so that it doesn't stop the others. */
export const File = KnownFile.catch(({ value }): File => Identified.safeParse(value).data ?? {})

/** The type of a file in an unknown format. */
export const UNKNOWN = ''

/** A file with the fields that every answer has. */
export type DriveFile = File & { id: string; name: string; mimeType: string }

const FileList = z.object({
  files: z.array(File).nullish(),
  nextPageToken: z.string().nullish(),
  incompleteSearch: z.boolean().nullish(),
})

/** The access policies of one run. Each shared drive is asked once. */
export interface AccessPolicies {
  /** Null when Google hides the file's permissions from this account. */
  policyOf(file: DriveFile): Promise<AccessPolicy | null>
  /** The members of a shared drive; null when Google hides them. */
  membersOf(driveId: string): Promise<GroupMembers | null>
}

/** `limited`: excludes the drive's members; `augmented`: adds others; `drive`: only the drive's members. */
export type Sharing = 'limited' | 'augmented' | 'drive'

/** Folder names by id, cached for one run. */
export interface FolderPaths {
  /** Caches a folder found in another answer. */
  learn(folder: File): void
  /** Lists all folders of a feed at once, which is much cheaper than one by one in a full crawl. */
  learnAll(feed: string): Promise<void>
  /** The folders around a file, outermost first, joined with ` / `; null at the top or when none is visible. */
  pathOf(file: DriveFile): Promise<string | null>
  /** Where a file of a shared drive, or a folder above it, gets its readers from. */
  sharingOf(file: DriveFile): Promise<Sharing>
}

/** The shared drives of an account. `isKnown` is false when Google refuses the listing: then nothing may be removed. */
export interface SharedDrives {
  names: ReadonlyMap<string, string>
  isKnown: boolean
}

/** Shared by all steps of one run. */
export interface DriveRun {
  session: ProviderSession
  api: GoogleApi
  extractor: TextExtractor
  outage: OutageGuard
  folders: FolderPaths
  policies: AccessPolicies
  drives: SharedDrives
  /** Allows one large file in memory at a time. */
  oneLarge: LimitFunction
}

/** The file of an answer. @throws ProviderError when a required field is missing */
export function driveFile(file: File | null | undefined): DriveFile {
  const { id, name, mimeType } = file ?? {}
  if (!id) throw new ProviderError('unavailable', 'Google Drive returned a file without an ID')
  return { ...file, id, name: name || 'Untitled', mimeType: mimeType ?? UNKNOWN }
}

/** Reads one file's metadata. @throws GoogleError; 404 when the file is gone or no longer shared */
export async function getFile(run: DriveRun, fileId: string): Promise<DriveFile> {
  return driveFile(
    await run.api.get(filePath(fileId), { fields: FILE_FIELDS, supportsAllDrives: true }, File),
  )
}

/** The path of a file in the API. */
export const filePath = (fileId: string): string => `files/${encodeURIComponent(fileId)}`

interface FileQuery {
  feed: string
  query: string
  fields: string
  pageSize: number
}

/** One page of `files.list`. `files` has the requested fields; `nextPageToken` is null on the last page. */
export async function listFiles(
  api: GoogleApi,
  { feed, query, fields, pageSize }: FileQuery,
  from: { pageToken?: string },
): Promise<{ files: File[]; nextPageToken: string | null; incomplete: boolean }> {
  const params = {
    ...(feed === MY_DRIVE ? { corpora: 'user' } : { corpora: 'drive', driveId: feed }),
    q: query,
    fields: `nextPageToken,incompleteSearch,files(${fields})`,
    pageSize,
    supportsAllDrives: true,
    includeItemsFromAllDrives: true,
    ...from,
  }
  const { files, nextPageToken, incompleteSearch } = await api.get('files', params, FileList)
  return {
    files: files ?? [],
    nextPageToken: nextPageToken ?? null,
    incomplete: incompleteSearch === true,
  }
}

export const filePages = (api: GoogleApi, list: FileQuery) => pagesOf((from) => listFiles(api, list, from))

/** The item id of a file: feed and file id, so that feeds do not undo each other and a drive is one id range. */
export const itemId = (feed: string, fileId: string) => `${feed}/${fileId}`

/** The range of item ids that begin with `prefix` and a slash; `0` follows the slash in ASCII. */
export const rangeUnder = (prefix: string) => ({ from: `${prefix}/`, to: `${prefix}0` })
