export { createOrganizationRemovals, type OrganizationRemovals } from './organization-removals.ts'
export { organizationRemovalRoutes, type OrganizationRemovalServices } from './routes.ts'
