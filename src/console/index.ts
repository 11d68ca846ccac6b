export { type ConsoleBuild, createConsoleBuild } from './build.ts'
export { addConsole, type ConsoleSignIn } from './serve.ts'
export { type BackendSignIn, METADATA_PATH } from './sign-in-routes.ts'
export { createTokenExchange } from './token-exchange.ts'
