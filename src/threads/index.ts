export { threadRoutes, type ThreadServices } from './routes.ts'
export { createThreads, deleteThreadsOf } from './threads.ts'
