export { syncRoutes } from './routes.ts'
export { createSyncRuns } from './sync-runs.ts'
