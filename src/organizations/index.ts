export { currentRole, findRole } from './authority.ts'
export {
  deleteExpiredInvitations,
  deleteUsersWithoutWorkspace,
  deleteUnreferencedUsers,
} from './delete-users.ts'
export { createInvitations } from './invitations.ts'
export { invitationRoutes } from './invitation-routes.ts'
export { createMembers } from './members.ts'
export { addMember, createOrganizations, insertOrganization, lockOrganization } from './organizations.ts'
export { organizationRoutes } from './routes.ts'
export { ensureUser, findVerifiedAddress, type Identity, isDeactivated } from './users.ts'
