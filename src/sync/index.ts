export { syncRoutes, type SyncServices } from './routes.ts'
export { createSyncRuns } from './sync-runs.ts'
