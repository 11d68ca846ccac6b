export { countUse, useValues } from './count-use.ts'
export { KEPT_DAYS, pruneDays } from './prune-days.ts'
export { dailyUsageRoutes } from './routes.ts'
