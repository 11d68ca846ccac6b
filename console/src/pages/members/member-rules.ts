import type { Member, Role } from './use-members.ts'

export const ROLES: readonly { role: Role; text: string }[] = [
  { role: 'member', text: 'Can ask and search.' },
  { role: 'admin', text: 'Can also manage sources, keys, billing, audit and members.' },
  { role: 'owner', text: 'Can also manage owners.' },
]

/** The roles that a user with this role may grant. Admins can't create owners. */
export function grantableRoles(own: Role): Role[] {
  if (own === 'member') return []
  return own === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin']
}

/**
 * Why `by` can't change the role of a member or remove them; undefined if they can.
 * Mirrors the service's rules: the last owner stays, and admins can't change owners.
 */
export function whyNot(
  member: Pick<Member, 'id' | 'role'>,
  by: { id: string; role: Role },
  members: readonly Pick<Member, 'role'>[],
): string | undefined {
  if (member.role === 'owner' && by.role === 'admin') return 'Only owners manage owners.'
  const isLastOwner = member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1
  if (isLastOwner) return 'The last owner cannot leave. Make another member an owner first.'
  if (member.id === by.id) return undefined
  if (by.role === 'member') return 'Only admins and owners manage members.'
  return undefined
}

/** A member's name, else their email address. */
export function memberName({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name ?? email ?? 'A member without a name'
}
