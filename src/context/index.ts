/** The Context Contract: the hits of a search, with citations, exclusions, and limitations. */
export { createRetrieveContext } from './context.ts'
export { APPROXIMATE_SEARCH, WEAK_EVIDENCE } from './limitations.ts'
export { contextRoutes, type ContextServices } from './routes.ts'
export { Citation, type Limitation, Limitations } from './schemas.ts'
