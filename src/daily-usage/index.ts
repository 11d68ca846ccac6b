export { countUse, useValues } from './count-use.ts'
export { pruneDays } from './prune-days.ts'
export { dailyUsageRoutes } from './routes.ts'
