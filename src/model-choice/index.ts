export { type Choice, type ChoiceFile, createChoiceFile } from './choice-file.ts'
export { createModelChoice, type ModelChoice, type ModelChoiceOptions } from './choose-model.ts'
export { type ModelChoiceServices, modelChoiceRoutes } from './routes.ts'
