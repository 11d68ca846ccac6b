export { LOGGED_DAYS, REQUESTS_MAX } from './limits.ts'
export { createRequestLog, deleteExpiredRequests, type RequestLog } from './request-log.ts'
export { requestLogRoutes } from './routes.ts'
