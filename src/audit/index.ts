export { AUDIT_ACTIONS, type AuditAction, cleanUpAction } from './actions.ts'
export { type Author, type NewAuditEvent, recordEvent } from './record-event.ts'
export { type ChargedAnswer, recordRetrievals, retrievalValues } from './record-retrievals.ts'
export { auditRoutes } from './routes.ts'
