export { putAccess } from './connector-access.ts'
export { createProviderAccounts, type ProviderAccounts } from './provider-accounts.ts'
export { providerRoutes } from './provider-routes.ts'
export { connectionRoutes } from './routes.ts'
