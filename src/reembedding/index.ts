export { createReembedding, type Reembedding } from './reembedding.ts'
export { reembeddingRoutes, type ReembeddingServices } from './routes.ts'
