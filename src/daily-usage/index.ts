export { countUse, useValues } from './count-use.ts'
export { USAGE_KEPT_DAYS, deleteExpiredDays } from './delete-expired.ts'
export { dailyUsageRoutes } from './routes.ts'
