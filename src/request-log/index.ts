export { createRequestLog, pruneRequests, type RequestLog } from './request-log.ts'
export { requestLogRoutes, type RequestLogServices } from './routes.ts'
