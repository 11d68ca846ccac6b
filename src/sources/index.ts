export { createRemovals, type Removals } from './removals.ts'
export { sourceRoutes, type SourceServices } from './routes.ts'
export { createSources, insertPushOnlySource, type SourceChannels, type SourceView } from './sources.ts'
