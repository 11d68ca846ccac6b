export { addMcp } from './endpoint.ts'
