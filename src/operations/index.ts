export { createMetrics, type Metrics } from './metrics.ts'
export { addPages } from './pages.ts'
export { operationRoutes, type OperationServices } from './routes.ts'
