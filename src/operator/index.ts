export { createOperatorGate, type AuthenticateOperator } from './operator-gate.ts'
export { createOperator } from './operator.ts'
export { operatorRoutes, type OperatorServices } from './routes.ts'
