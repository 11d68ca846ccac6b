import { createHash } from 'node:crypto'
import { z } from 'zod'
import { makeOncePerKey } from '../../../kernel/make-once.ts'
import { type AccessPolicy, type GroupMembers, isRejected } from '../../adapter.ts'
import { knownOf } from '../../rest.ts'
import { type GoogleApi, pagesOf } from '../shared/calls.ts'
import {
  type AccessPolicies,
  type DriveFile,
  type FolderPaths,
  filePath,
  Permission,
  PERMISSION_FIELDS,
} from './run.ts'

const PermissionList = z.object({
  permissions: knownOf(Permission).nullish(),
  nextPageToken: z.string().nullish(),
})

const PAGE_SIZE = 100

/** A Drive file lists its permissions. In a shared drive only added people and limited folders do. */
export function createAccessPolicies(api: GoogleApi, folders: FolderPaths): AccessPolicies {
  const membersOf = makeOncePerKey((driveId) => listPermissions(api, driveId))

  async function policyInDrive(file: DriveFile, driveId: string): Promise<AccessPolicy | null> {
    const sharing = await folders.sharingOf(file)
    if (sharing === 'limited') return policyOrNull(await listPermissions(api, file.id))
    if ((await membersOf(driveId)) === null) return null
    if (sharing === 'drive') return { visibility: 'restricted', groups: [driveId] }
    const permissions = await listPermissions(api, file.id)
    if (permissions === null) return null
    // Files refer to the drive's group, so that a membership change does not change its files.
    return withGroup(accessPolicyOf(permissions.filter(isOfFile)), driveId)
  }

  return {
    async policyOf(file) {
      if (file.permissions && file.permissions.length > 0) return accessPolicyOf(file.permissions)
      return file.driveId ? await policyInDrive(file, file.driveId) : null
    },
    async membersOf(driveId) {
      const members = await membersOf(driveId)
      return members === null ? null : groupMembersOf(members)
    },
  }
}

async function listPermissions(api: GoogleApi, fileId: string): Promise<Permission[] | null> {
  const fields = `nextPageToken,permissions(${PERMISSION_FIELDS})`
  const params = { fields, pageSize: PAGE_SIZE, supportsAllDrives: true }
  const pages = pagesOf((from) =>
    api.get(`${filePath(fileId)}/permissions`, { ...params, ...from }, PermissionList),
  )
  try {
    return (await Array.fromAsync(pages)).flatMap(({ permissions }) => permissions ?? [])
  } catch (error) {
    // Only accounts that may share the file may list its permissions. The item is stored without a policy, and
    // policyHealth counts it.
    if (isRejected(error)) return null
    throw error
  }
}

const policyOrNull = (permissions: Permission[] | null) =>
  permissions === null ? null : accessPolicyOf(permissions)

/** Whether a permission is set on the file or a folder above it, rather than inherited from drive membership. */
const isOfFile = ({ permissionDetails }: Permission) =>
  !permissionDetails?.length || permissionDetails.some(({ permissionType }) => permissionType !== 'member')

export function accessPolicyOf(permissions: readonly Permission[]): AccessPolicy {
  const reading = permissions.filter(letsRead)
  if (reading.some(({ type }) => type === 'anyone')) return { visibility: 'public' }
  const { users, groups, domains } = groupMembersOf(reading)
  const isPrivate = users.length === 1 && groups.length === 0 && domains.length === 0
  return {
    visibility: isPrivate ? 'private' : 'restricted',
    ...(users.length > 0 ? { users } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(domains.length > 0 ? { domains } : {}),
  }
}

function withGroup(policy: AccessPolicy, group: string): AccessPolicy {
  if (policy.visibility === 'public') return policy
  return { ...policy, visibility: 'restricted', groups: [...(policy.groups ?? []), group].toSorted() }
}

// A permission with `view` covers only the published version of a file, or the names in a folder.
const letsRead = ({ deleted, view }: Permission) => deleted !== true && !view

/** The people, groups and domains that permissions name, sorted and without duplicates. */
export function groupMembersOf(permissions: readonly Permission[]): GroupMembers {
  const reading = permissions.filter(letsRead)
  const named = (type: string, name: (permission: Permission) => string | null | undefined) => {
    const names = reading.filter((permission) => permission.type === type).map(name)
    return [...new Set(names.flatMap((one) => (one ? [one.toLowerCase()] : [])))].toSorted()
  }
  return {
    users: named('user', ({ emailAddress }) => emailAddress),
    groups: named('group', ({ emailAddress }) => emailAddress),
    domains: named('domain', ({ domain }) => domain),
    isWorkspace: false,
  }
}

export function permissionsHash(permissions: readonly Permission[]): string {
  const plain = permissions
    .map(({ id, type, emailAddress, domain, view, deleted }) =>
      JSON.stringify([id, type, emailAddress, domain, view, deleted]),
    )
    .toSorted()
  return createHash('sha256').update(JSON.stringify(plain)).digest('base64url').slice(0, 22)
}
