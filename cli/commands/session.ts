import type { Command } from 'commander'
import { type ApiClient, createApiClient } from '../api-client.ts'
import { createTerminal, type Terminal } from '../terminal.ts'

const URL_DEFAULT = 'http://127.0.0.1:8787'

export interface Session {
  client: ApiClient
  terminal: Terminal
  /** Print results as JSON instead of text. */
  json: boolean
  env: NodeJS.ProcessEnv
  hasKey: boolean
}

/** Builds a command's session from the program's options, else the environment. @throws UsageError */
export function openSession(command: Command): Session {
  const options = command.optsWithGlobals<{ url?: string; key?: string; json?: boolean }>()
  const url = options.url ?? (process.env.MEMORY_URL || URL_DEFAULT)
  const key = options.key ?? process.env.MEMORY_API_KEY
  return {
    client: createApiClient({ url, key }),
    terminal: createTerminal(process.stdout, process.stderr),
    json: options.json === true,
    env: process.env,
    hasKey: key !== undefined && key !== '',
  }
}

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.print(JSON.stringify(value, null, 2))
}
