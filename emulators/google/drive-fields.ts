import type { EmulatorReply } from '../kit/server.ts'
import { type ResourceFields, selectFields } from './field-mask.ts'
import { invalidParameter } from './google-reply.ts'

const fieldsOf = (names: string, nested: ResourceFields = {}): ResourceFields => ({
  ...Object.fromEntries(names.split(' ').map((name) => [name, null])),
  ...nested,
})

// The API's resources, version 3, with their field names
// (developers.google.com/workspace/drive/api/reference/rest/v3).
const USER = fieldsOf('kind displayName photoLink me permissionId emailAddress')
const PERMISSION = fieldsOf(
  'kind id type role emailAddress domain displayName photoLink allowFileDiscovery deleted pendingOwner expirationTime teamDrivePermissionDetails view inheritedPermissionsDisabled',
  { permissionDetails: fieldsOf('inherited inheritedFrom permissionType role') },
)
const FILE = fieldsOf(
  'kind id name mimeType description starred trashed explicitlyTrashed trashedTime parents properties appProperties spaces version webContentLink webViewLink iconLink hasThumbnail thumbnailLink thumbnailVersion viewedByMe viewedByMeTime createdTime modifiedTime modifiedByMe modifiedByMeTime sharedWithMeTime teamDriveId driveId shared ownedByMe capabilities viewersCanCopyContent copyRequiresWriterPermission writersCanShare permissionIds hasAugmentedPermissions folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum sha1Checksum sha256Checksum size quotaBytesUsed headRevisionId contentHints imageMediaMetadata videoMediaMetadata isAppAuthorized exportLinks contentRestrictions labelInfo resourceKey linkShareMetadata downloadRestrictions inheritedPermissionsDisabled',
  {
    owners: USER,
    lastModifyingUser: USER,
    sharingUser: USER,
    trashingUser: USER,
    permissions: PERMISSION,
    shortcutDetails: fieldsOf('targetId targetMimeType targetResourceKey'),
  },
)
const DRIVE = fieldsOf(
  'kind id name colorRgb backgroundImageLink backgroundImageFile capabilities themeId createdTime hidden restrictions orgUnitId',
)
const CHANGE = fieldsOf('kind type changeType time removed fileId driveId teamDriveId teamDrive', {
  file: FILE,
  drive: DRIVE,
})

/** The types of answers, each with its fields and its default fields. */
const ANSWERS = {
  about: {
    fields: fieldsOf(
      'kind storageQuota maxUploadSize appInstalled folderColorPalette importFormats exportFormats maxImportSizes canCreateDrives canCreateTeamDrives driveThemes teamDriveThemes',
      { user: USER },
    ),
    usual: null,
  },
  file: { fields: FILE, usual: 'kind,id,name,mimeType,resourceKey' },
  files: {
    fields: fieldsOf('kind incompleteSearch nextPageToken', { files: FILE }),
    usual: 'kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType,resourceKey)',
  },
  changes: {
    fields: fieldsOf('kind nextPageToken newStartPageToken', { changes: CHANGE }),
    usual:
      'kind,nextPageToken,newStartPageToken,changes(kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType))',
  },
  startPageToken: { fields: fieldsOf('kind startPageToken'), usual: '*' },
  permissions: {
    fields: fieldsOf('kind nextPageToken', { permissions: PERMISSION }),
    usual: 'kind,nextPageToken,permissions(kind,id,type,role)',
  },
  drive: { fields: DRIVE, usual: 'kind,id,name' },
  drives: {
    fields: fieldsOf('kind nextPageToken', { drives: DRIVE }),
    usual: 'kind,nextPageToken,drives(kind,id,name)',
  },
} satisfies Record<string, { fields: ResourceFields; usual: string | null }>

/** An answer with the requested or default fields; refuses unknown fields. */
export function answerFields(
  kind: keyof typeof ANSWERS,
  query: URLSearchParams,
  json: unknown,
): EmulatorReply {
  const { fields, usual } = ANSWERS[kind]
  const asked = query.get('fields') ?? usual
  if (asked === null) {
    const message = "The 'fields' parameter is required for this method."
    return invalidParameter('fields', message, 'required')
  }
  const selected = selectFields(json, fields, asked)
  if ('invalid' in selected) return invalidParameter('fields', `Invalid field selection ${selected.invalid}`)
  return { json: selected.json }
}
