export { createPermissionPoller, type PermissionPoller } from './permission-poller.ts'
export type { OpenSource } from './poll-permissions.ts'
export { sourcePermissionRoutes } from './routes.ts'
export { announcePermissionChange, schedulePermissionPoll } from './schedule.ts'
