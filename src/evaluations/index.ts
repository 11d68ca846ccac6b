export { createEvaluations } from './evaluations.ts'
export { evaluationRoutes } from './routes.ts'
