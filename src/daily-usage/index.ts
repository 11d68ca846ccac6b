export { countUse, useValues } from './count-use.ts'
export { deleteExpiredDays } from './delete-expired.ts'
export { dailyUsageRoutes } from './routes.ts'
