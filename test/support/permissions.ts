import { domainPrincipal, EVERYONE, groupPrincipal, MEMBER, userPrincipal } from '../../src/people/index.ts'

export const GROUPS = ['eng', 'sales', 'leads']
const DOMAINS = ['corp.com', 'Partner.org']

interface Policy {
  visibility: string
  users?: string[]
  groups?: string[]
  domains?: string[]
  deny?: string[]
}

/** A policy as callers push it, often of an undocumented shape. */
export function randomPolicy(random: () => number, emails: readonly string[]): unknown {
  const some = <T>(list: readonly T[], chance: number): T[] => list.filter(() => random() < chance)
  const deny = random() < 0.25 ? { deny: some(emails, 0.3).map((email) => email.toUpperCase()) } : {}
  const chance = random()
  if (chance < 0.08) return undefined
  if (chance < 0.2) return malformed(random)
  if (chance < 0.3) return { visibility: 'public', ...deny }
  if (chance < 0.45) return { visibility: 'workspace', ...deny }
  return {
    visibility: random() < 0.5 ? 'restricted' : 'private',
    ...(random() < 0.7 ? { users: some(emails, 0.3) } : {}),
    ...(random() < 0.4 ? { groups: some(GROUPS, 0.5) } : {}),
    ...(random() < 0.3 ? { domains: some(DOMAINS, 0.5) } : {}),
    ...deny,
  }
}

function malformed(random: () => number): unknown {
  const shapes = [
    'public',
    null,
    [],
    { visibility: 'PUBLIC' },
    { visibility: 'public', users: 'ada@corp.com' },
    { users: ['ada@corp.com'] },
    { visibility: 'workspace', except: ['ada@corp.com'] },
    { visibility: 'restricted', users: [{ email: 'ada@corp.com' }] },
    { visibility: 'restricted', users: [''] },
  ]
  return shapes[Math.floor(random() * shapes.length)]
}

/** An independent implementation of whether a user may read a document with this policy. */
export function mayRead(policy: unknown, principals: ReadonlySet<string>, email: string): boolean {
  if (!isPolicy(policy)) return false
  const { visibility, users = [], groups = [], domains = [], deny = [] } = policy
  if (deny.some((one) => principals.has(userPrincipal(one)) || userPrincipal(one) === userPrincipal(email)))
    return false
  if (visibility === 'public') return principals.has(EVERYONE)
  if (visibility === 'workspace') return principals.has(MEMBER)
  return (
    users.some((one) => principals.has(userPrincipal(one))) ||
    groups.some((one) => principals.has(groupPrincipal(one))) ||
    domains.some((one) => principals.has(domainPrincipal(one)))
  )
}

const FIELDS = new Set(['visibility', 'users', 'groups', 'domains', 'deny'])

function isPolicy(policy: unknown): policy is Policy {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) return false
  const entries = Object.entries(policy)
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
  return (
    'visibility' in policy &&
    ['public', 'workspace', 'restricted', 'private'].includes(String(policy.visibility)) &&
    entries.every(([key]) => FIELDS.has(key)) &&
    entries.every(([key, value]) => key === 'visibility' || (Array.isArray(value) && value.every(isText)))
  )
}
