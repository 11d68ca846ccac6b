export { backUpOffline } from './back-up-offline.ts'
export { createBackups } from './backup.ts'
export { checkBackup, restoreBackup } from './restore.ts'
export { backupRoutes } from './routes.ts'
