export { createOrganizationRemovals, type OrganizationRemovals } from './organization-removals.ts'
export { organizationRemovalRoutes } from './routes.ts'
