export { sourceRoutes, type SourceServices } from './routes.ts'
export { createSources, insertPushOnlySource } from './sources.ts'
