export { startTracing } from './start-tracing.ts'
export { PROTOCOLS, SAMPLERS, type Tracing } from './tracing.ts'
export { tracedGates } from './traced-gates.ts'
export { tracedEmbeddingModel, tracedLanguageModel } from './traced-models.ts'
