export { addMetrics, createMetrics, type Metrics } from './metrics.ts'
export { healthRoutes, type HealthServices } from './routes.ts'
