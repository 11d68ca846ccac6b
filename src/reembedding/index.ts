export { createReembedding, type Reembedding } from './reembedding.ts'
export { reembeddingRoutes } from './routes.ts'
