export { addPages } from './pages.ts'
export { referenceRoutes, type ReferenceServices } from './routes.ts'
