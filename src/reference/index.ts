export { addPages } from './pages.ts'
export { referenceRoutes } from './routes.ts'
