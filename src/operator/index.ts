export { createOperatorGate, type AuthenticateOperator } from './operator-gate.ts'
export { createOperator, type Operator, type OperatorLog } from './operator.ts'
export { operatorRoutes, type OperatorServices } from './routes.ts'
