import { createHash } from 'node:crypto'
import type { drive_v3 } from '@googleapis/drive'
import type { AccessPolicy, JsonObject } from '../../provider.ts'
import { GoogleError } from '../shared/error.ts'
import type { AccessPolicies, DriveFile, DriveRun } from './run.ts'

const PERMISSION_FIELDS = 'id,emailAddress,type,domain,allowFileDiscovery'
const MOST_LISTED = 100

/**
 * A file of somebody's own Drive carries its permissions. One of a shared drive does not: it has its drive's members, and
 * `hasAugmentedPermissions` when people were added to the file itself.
 */
export function createAccessPolicies(): AccessPolicies {
  const ofDrives = new Map<string, Promise<drive_v3.Schema$Permission[] | null>>()

  async function permissionsOf(run: DriveRun, file: DriveFile): Promise<drive_v3.Schema$Permission[] | null> {
    if (file.permissions && file.permissions.length > 0) return file.permissions
    const { driveId } = file
    if (!driveId) return null
    if (file.hasAugmentedPermissions) return await listPermissions(run, file.id)
    return await membersOf(run, driveId)
  }

  async function membersOf(run: DriveRun, driveId: string): Promise<drive_v3.Schema$Permission[] | null> {
    const known = ofDrives.get(driveId) ?? listPermissions(run, driveId)
    // The answer is kept, not a failure: that is asked for again.
    known.catch(() => ofDrives.delete(driveId))
    ofDrives.set(driveId, known)
    return await known
  }

  return {
    policyOf: async (run, file) => {
      const permissions = await permissionsOf(run, file)
      return permissions === null ? null : accessPolicyOf(permissions)
    },
    hashOfDrive: async (run, driveId) => {
      const members = await membersOf(run, driveId)
      return members === null ? null : permissionsHash(members)
    },
  }
}

async function listPermissions(run: DriveRun, fileId: string): Promise<drive_v3.Schema$Permission[] | null> {
  const all: drive_v3.Schema$Permission[] = []
  let pageToken: string | undefined
  do {
    const token: { pageToken?: string } = pageToken === undefined ? {} : { pageToken }
    const fields = `nextPageToken,permissions(${PERMISSION_FIELDS})`
    const params = { fileId, fields, pageSize: MOST_LISTED, supportsAllDrives: true, ...token }
    try {
      const data = await run.call((options) => run.api.permissions.list(params, options))
      all.push(...(data.permissions ?? []))
      pageToken = data.nextPageToken ?? undefined
    } catch (error) {
      // Only those who may share may ask; the item is stored without a policy and counted by policyHealth.
      if (error instanceof GoogleError && error.kind === 'rejected') return null
      throw error
    }
  } while (pageToken !== undefined)
  return all
}

/** The policy of a list of permissions. `hash` changes with any of them, whether or not all are listed. */
export function accessPolicyOf(permissions: readonly drive_v3.Schema$Permission[]): AccessPolicy {
  const listed = plainPermissions(permissions)
  return {
    visibility: visibilityOf(permissions),
    permissions: listed.slice(0, MOST_LISTED),
    permissionCount: listed.length,
    hash: permissionsHash(permissions),
  }
}

/** A hash that changes with any of the permissions, whatever their order. */
export function permissionsHash(permissions: readonly drive_v3.Schema$Permission[]): string {
  const listed = JSON.stringify(plainPermissions(permissions))
  return createHash('sha256').update(listed).digest('base64url').slice(0, 22)
}

const plainPermissions = (permissions: readonly drive_v3.Schema$Permission[]) =>
  permissions
    .map((permission) => plainPermission(permission))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

function visibilityOf(permissions: readonly drive_v3.Schema$Permission[]): AccessPolicy['visibility'] {
  const types = new Set(permissions.map((permission) => permission.type))
  if (types.has('anyone')) return 'public'
  if (types.has('domain')) return 'workspace'
  return permissions.length === 1 && types.has('user') ? 'private' : 'restricted'
}

function plainPermission(permission: drive_v3.Schema$Permission): JsonObject {
  const { id, type, emailAddress, domain, allowFileDiscovery } = permission
  return {
    ...(type ? { type } : {}),
    ...(id ? { id } : {}),
    ...(emailAddress ? { emailAddress } : {}),
    ...(domain ? { domain } : {}),
    ...(typeof allowFileDiscovery === 'boolean' ? { allowFileDiscovery } : {}),
  }
}
