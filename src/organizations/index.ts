export { currentRole, findRole } from './authority.ts'
export {
  deleteExpiredInvitations,
  deleteStrangers,
  deleteUnreferencedUsers,
  STRANGER_DAYS,
} from './delete-users.ts'
export { DAYS_VALID } from './find-invitation.ts'
export { createInvitations } from './invitations.ts'
export { invitationRoutes } from './invitation-routes.ts'
export { createMembers } from './members.ts'
export { addMember, createOrganizations, insertOrganization, lockOrganization } from './organizations.ts'
export { organizationRoutes } from './routes.ts'
export { ensureUser, type Identity } from './users.ts'
