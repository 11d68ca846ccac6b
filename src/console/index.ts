export { type ConsoleBuild, createConsoleBuild } from './build.ts'
export { addConsole, type ConsoleSignIn } from './serve.ts'
