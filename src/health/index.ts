export { addMetrics, createMetrics, type Metrics } from './metrics.ts'
export { healthRoutes } from './routes.ts'
