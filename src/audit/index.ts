export { AUDIT_ACTIONS, type AuditAction, cleanUpAction } from './actions.ts'
export { recordEvent } from './record-event.ts'
export { auditRoutes, type AuditServices } from './routes.ts'
