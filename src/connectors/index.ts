export { addConnectedPage } from './connected-page.ts'
export { createConnectors, type Connectors } from './connectors.ts'
export { keptEncryptionKey } from './kept-encryption-key.ts'
export { connectorRoutes, type ConnectorServices } from './routes.ts'
