export { insertVectors } from './insert-vectors.ts'
export { createModelRegistry, type ModelRegistry } from './model-registry.ts'
export {
  adoptModel,
  ensureStoredModel,
  lockModelsForWriting,
  type ModelState,
  readModelState,
  type StoredModel,
} from './organization-models.ts'
export { openStoredModelSettings } from './stored-settings.ts'
export { warnOfOtherModels } from './warn-of-other-models.ts'
export { createModelCheck, type ModelCheck } from './check/model-check.ts'
export type { ModelSetting } from './check/schemas.ts'
export { type ModelKind, problemOf } from './check/problem-words.ts'
export { modelCheckRoutes } from './check/routes.ts'
export { embedAll, embeddingInput } from './embed-chunks.ts'
export { createModelMove, type ModelMove } from './move/model-move.ts'
export { modelMoveRoutes } from './move/routes.ts'
