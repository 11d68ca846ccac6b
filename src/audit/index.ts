export { AUDIT_ACTIONS, type AuditAction, cleanUpAction } from './actions.ts'
export { recordEvent } from './record-event.ts'
export { type ChargedAnswer, recordRetrievals, retrievalValues } from './record-retrievals.ts'
export { auditRoutes, type AuditServices } from './routes.ts'
