import { z } from 'zod'
import { makeOnce, makeOncePerKey } from '../../../kernel/make-once.ts'
import { type AccessPolicy, type GroupMembers, isRejected, ProviderError, returnIf } from '../../adapter.ts'
import type { Graph } from '../shared/graph.ts'
import { addressOf, Me, ME_FIELDS } from '../shared/oauth.ts'
import { pathOf } from './drive-item.ts'
import type { Drive } from './drives.ts'

const READING = new Set(['read', 'write', 'owner'])
/** The sign-in name of "Everyone except external users", and of "Everyone". */
const FOR_ALL = /\|spo-grid-all-users\/|^c:0\(\.s\|true$/i
const NEVER = '0001-01-01T00:00:00Z'

const Identity = z.object({
  id: z.string().nullish(),
  displayName: z.string().nullish(),
  email: z.string().nullish(),
})
/** https://learn.microsoft.com/graph/api/resources/sharepointidentityset */
const Identities = z.object({
  user: Identity.nullish(),
  group: Identity.nullish(),
  siteGroup: Identity.nullish(),
  siteUser: z.object({ loginName: z.string().nullish() }).nullish(),
})
type Identities = z.output<typeof Identities>

/** https://learn.microsoft.com/graph/api/resources/permission */
const Permission = z.object({
  roles: z.array(z.string()).nullish(),
  link: z.object({ scope: z.string().nullish(), type: z.string().nullish() }).nullish(),
  grantedToV2: Identities.nullish(),
  grantedToIdentitiesV2: z.array(Identities).nullish(),
  invitation: z.object({ email: z.string().nullish() }).nullish(),
  expirationDateTime: z.string().nullish(),
  hasPassword: z.boolean().nullish(),
})
type Permission = z.output<typeof Permission>

const Organizations = z.object({
  value: z.array(
    z.object({ id: z.string().min(1), verifiedDomains: z.array(z.object({ name: z.string() })).nullish() }),
  ),
})

/** The group of everyone in the account's organization. */
export interface OrganizationGroup {
  id: string
  members: GroupMembers
}

/** Finds an item's readers. Each call throws ProviderError. */
export interface Readers {
  /** The account's own address. */
  address(): Promise<string>
  /** Null for personal accounts, which have none. */
  organization(): Promise<OrganizationGroup | null>
  policyOf(externalId: string, drive: Drive | undefined): Promise<AccessPolicy>
}

/** Finds readers for one run, requesting each person once. */
export function createReaders(graph: Graph): Readers {
  const address = makeOnce(async () => addressOf(await graph.get(`me?$select=${ME_FIELDS}`, Me)))
  const organization = makeOnce(() => findOrganization(graph))
  const addressOfId = makeOncePerKey((id) => lookUp(graph, id))

  async function addressOfUser({ id, email }: z.output<typeof Identity>): Promise<string> {
    if (email) return email.toLowerCase()
    return id ? await addressOfId(id) : ''
  }

  async function addIdentity(
    names: Names,
    { user, group, siteGroup, siteUser }: Identities,
    drive: Drive | undefined,
  ): Promise<void> {
    if (FOR_ALL.test(siteUser?.loginName ?? '')) names.groups.add((await organization())?.id ?? '')
    if (user != null) names.users.add(await addressOfUser(user))
    // Without an administrator's consent, Graph lists the members of neither kind, so the workspace defines these
    // groups.
    if (group != null) names.groups.add((group.email || group.id || '').toLowerCase())
    if (siteGroup?.displayName && drive?.site?.url)
      names.groups.add(`${drive.site.url}/${siteGroup.displayName}`)
  }

  async function addPermission(names: Names, permission: Permission, drive: Drive | undefined) {
    const { link, grantedToV2, grantedToIdentitiesV2, invitation } = permission
    if (link?.scope === 'organization') names.groups.add((await organization())?.id ?? '')
    for (const identities of grantedToIdentitiesV2 ?? []) await addIdentity(names, identities, drive)
    if (link != null) return
    if (grantedToV2 != null) await addIdentity(names, grantedToV2, drive)
    else if (invitation?.email) names.users.add(invitation.email.toLowerCase())
  }

  return {
    address,
    organization,
    async policyOf(externalId, drive) {
      // The account can read what it can download.
      const names: Names = { users: new Set([await address()]), groups: new Set() }
      for (const permission of (await permissionsOf(graph, externalId)).filter(counts)) {
        if (permission.link?.scope === 'anonymous') return { visibility: 'public' }
        await addPermission(names, permission, drive)
      }
      return policyNaming(names)
    },
  }
}

interface Names {
  users: Set<string>
  groups: Set<string>
}

const isRefused = (error: unknown): boolean => error instanceof ProviderError && error.code === '403'

/** The permissions of an item, inherited ones included; none when Graph refuses to list them. */
async function permissionsOf(graph: Graph, externalId: string): Promise<Permission[]> {
  return await graph.all(`${pathOf(externalId)}/permissions`, Permission).catch(returnIf(isRefused, []))
}

/**
 * A permission that expires or needs a password is ignored, because its end would go unnoticed, and so is a link for
 * uploads, which shows nothing (https://learn.microsoft.com/graph/api/driveitem-createlink).
 */
function counts({ roles, link, expirationDateTime: end, hasPassword }: Permission): boolean {
  if (link?.type === 'createOnly') return false
  const isLasting = !end || end === NEVER
  return isLasting && hasPassword !== true && (roles ?? []).some((role) => READING.has(role))
}

function policyNaming(names: Names): AccessPolicy {
  const [users, groups] = [names.users, names.groups].map((some) => [...some].filter(Boolean).toSorted())
  return {
    visibility: users?.length === 1 && groups?.length === 0 ? 'private' : 'restricted',
    ...(users?.length ? { users } : {}),
    ...(groups?.length ? { groups } : {}),
  }
}

/** A user's address; empty when the account may not read the profile. */
async function lookUp(graph: Graph, id: string): Promise<string> {
  const address = `users/${encodeURIComponent(id)}?$select=${ME_FIELDS}`
  const user = await graph.find(address, Me).catch(returnIf(isRejected, null))
  return user === null ? '' : addressOf(user)
}

/** https://learn.microsoft.com/graph/api/organization-list: `User.Read` shows these two fields. */
async function findOrganization(graph: Graph): Promise<OrganizationGroup | null> {
  const answer = await graph
    .get('organization?$select=id,verifiedDomains', Organizations)
    .catch(returnIf(isRejected, null))
  const found = answer?.value[0]
  if (found === undefined) return null
  const domains = (found.verifiedDomains ?? []).map(({ name }) => name.toLowerCase()).toSorted()
  return { id: found.id, members: { users: [], groups: [], domains, isWorkspace: false } }
}
