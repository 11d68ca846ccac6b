export { SAMPLERS, startTracing, type Tracing } from './start-tracing.ts'
export { tracedGates } from './traced-gates.ts'
export { tracedEmbeddingModel, tracedLanguageModel } from './traced-models.ts'
