export { createOperatorAuthenticator, type AuthenticateOperator } from './authenticate-operator.ts'
export { createOperator } from './operator.ts'
export { operatorRoutes } from './routes.ts'
