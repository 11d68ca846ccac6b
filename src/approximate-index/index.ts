export { type ApproximateIndexes, createApproximateIndexes } from './approximate-indexes.ts'
export { createIndex, indexedVectors } from './index-ddl.ts'
export { approximateIndexRoutes } from './routes.ts'
export { hasReadyIndex } from './store.ts'
