export { createEvaluations } from './evaluations.ts'
export { RUNS_MAX } from './runs.ts'
export { evaluationRoutes } from './routes.ts'
