export { type ChunkVector, insertVectors } from './insert-vectors.ts'
export { createKeptSettings, type SecretCipher } from './kept-settings.ts'
export { createModelRegistry, type FormerModels, type ModelRegistry } from './model-registry.ts'
export {
  adoptModel,
  ensureStoredModel,
  lockModelsForChange,
  lockModelsForWriting,
  type ModelState,
  readModelState,
  type StoredModel,
} from './organization-models.ts'
export { warnOfOtherModels } from './warn-of-other-models.ts'
