export { createModelMove, type ModelMove } from './model-move.ts'
export { modelMoveRoutes, type ModelMoveServices } from './routes.ts'
