/** The Context Contract: the hits of a search, with citations, exclusions, and limitations. */
export { Citation } from './citation.ts'
export { createRetrieveContext } from './context.ts'
export { APPROXIMATE_SEARCH, type Limitation, Limitations, WEAK_EVIDENCE } from './limitations.ts'
export { contextRoutes, type ContextServices } from './routes.ts'
