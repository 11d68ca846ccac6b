import type { Member, Role } from './use-members.ts'

export const ROLES: readonly { role: Role; text: string }[] = [
  { role: 'member', text: 'Can ask and search.' },
  { role: 'admin', text: 'Can also manage sources, keys, billing, audit and members.' },
  { role: 'owner', text: 'Can also manage owners.' },
]

/** Roles that somebody of this role may give: admins make no owner. */
export function grantableRoles(own: Role): Role[] {
  if (own === 'member') return []
  return own === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin']
}

/**
 * Why somebody's role cannot be changed, nor they be removed, by the person who looks; undefined: it can. The service
 * decides, and these are its rules: the last owner stays, and admins touch no owner.
 */
export function whyNot(
  member: Pick<Member, 'id' | 'role'>,
  by: { id: string; role: Role },
  members: readonly Pick<Member, 'role'>[],
): string | undefined {
  const isLastOwner = member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1
  if (isLastOwner) return 'The last owner cannot leave. Make another member an owner first.'
  if (member.id === by.id) return undefined
  if (by.role === 'member') return 'Only admins and owners manage members.'
  if (member.role === 'owner' && by.role !== 'owner') return 'Only owners manage owners.'
  return undefined
}

/** How a member is called: by name, else address. */
export function memberName({ name, email }: Pick<Member, 'name' | 'email'>): string {
  return name ?? email ?? 'A member without a name'
}
