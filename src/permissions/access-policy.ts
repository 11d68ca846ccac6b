import { z } from 'zod'
import { safeParse } from '../kernel/safe-parse.ts'
import {
  domainPrincipal,
  EVERYONE,
  groupPrincipal,
  MEMBER,
  sourceGroupPrincipal,
  sourcePrincipal,
  userPrincipal,
} from '../people/index.ts'

const NAMES_MAX = 1_000
/** A principal must fit into one PostgreSQL index entry. */
const NAME_CHARACTERS_MAX = 320

const Names = z.array(z.string().trim().min(1).max(NAME_CHARACTERS_MAX)).max(NAMES_MAX)

const AccessPolicy = z.strictObject({
  visibility: z.enum(['public', 'workspace', 'restricted', 'private']),
  users: Names.default([]),
  groups: Names.default([]),
  domains: Names.default([]),
  deny: Names.default([]),
})
type AccessPolicy = z.output<typeof AccessPolicy>

export type ItemOrigin =
  | { by: 'push' }
  /** `reportsReaders`: the provider says who may read each item; otherwise the source's audience may. */
  | { by: 'sync'; sourceId: string; reportsReaders: boolean }

/** The principals that may read. `deny` takes precedence over `allow`. */
export interface PolicyPrincipals {
  allow: readonly string[]
  deny: readonly string[]
}

const NOBODY: PolicyPrincipals = { allow: [], deny: [] }

/** The readers in an item's `metadata.accessPolicy`. A missing or malformed policy allows no one. */
export function principalsOfPolicy(accessPolicy: unknown, origin: ItemOrigin): PolicyPrincipals {
  if (origin.by === 'sync' && !origin.reportsReaders)
    return { allow: [sourcePrincipal(origin.sourceId)], deny: [] }
  const parsed = safeParse(AccessPolicy, accessPolicy)
  if (!parsed?.success) return NOBODY
  const allow = [...new Set(allowedBy(parsed.data, origin))].toSorted()
  const deny = [...new Set(parsed.data.deny.map(userPrincipal))].toSorted()
  return allow.length === 0 ? NOBODY : { allow, deny }
}

function allowedBy({ visibility, users, groups, domains }: AccessPolicy, origin: ItemOrigin): string[] {
  switch (visibility) {
    case 'public':
      return [EVERYONE]
    case 'workspace':
      return [origin.by === 'push' ? MEMBER : sourcePrincipal(origin.sourceId)]
    case 'restricted':
    case 'private':
      return [
        ...users.map(userPrincipal),
        ...domains.map(domainPrincipal),
        ...groups.map(groupPrincipal),
        ...(origin.by === 'sync' ? groups.map((id) => sourceGroupPrincipal(origin.sourceId, id)) : []),
      ]
  }
}
