import { z } from 'zod'
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
/** A principal has to fit into one index entry of PostgreSQL. */
const NAME_CHARACTERS_MAX = 320

const Names = z.array(z.string().trim().min(1).max(NAME_CHARACTERS_MAX)).max(NAMES_MAX)

/** `metadata.accessPolicy` in the documented shape. */
const AccessPolicy = z.strictObject({
  visibility: z.enum(['public', 'workspace', 'restricted', 'private']),
  users: Names.default([]),
  groups: Names.default([]),
  domains: Names.default([]),
  deny: Names.default([]),
})
type AccessPolicy = z.output<typeof AccessPolicy>

/** Where an item came from: pushed by a caller, or read by a sync run from a source. */
export type ItemOrigin =
  | { by: 'push' }
  /** `tellsReaders`: the provider says who may read each item; otherwise the source's audience may. */
  | { by: 'sync'; sourceId: string; tellsReaders: boolean }

/** Whom a policy lets read, and whom it denies that whatever else they are. */
export interface PolicyPrincipals {
  allow: readonly string[]
  deny: readonly string[]
}

const NOBODY: PolicyPrincipals = { allow: [], deny: [] }

/** Whom an item's `metadata.accessPolicy` lets read. Any other shape than the documented one, or none: nobody. */
export function principalsOfPolicy(accessPolicy: unknown, origin: ItemOrigin): PolicyPrincipals {
  if (origin.by === 'sync' && !origin.tellsReaders)
    return { allow: [sourcePrincipal(origin.sourceId)], deny: [] }
  const parsed = AccessPolicy.safeParse(accessPolicy)
  if (!parsed.success) return NOBODY
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
