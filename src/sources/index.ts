export { sourceRoutes } from './routes.ts'
export { createSources, insertPushOnlySource } from './sources.ts'
