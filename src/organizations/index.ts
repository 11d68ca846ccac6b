export { addMember, createOrganizations, insertOrganization, lockOrganization } from './organizations.ts'
export { organizationRoutes, type OrganizationServices } from './routes.ts'
export { ensureUser, type Identity } from './users.ts'
