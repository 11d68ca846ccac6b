import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'

const MAIN = path.join(import.meta.dirname, '..', 'main.ts')
const COMPILED = path.join(import.meta.dirname, '..', '..', '.cache', 'compiled')

export interface CommandResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunningCommand {
  child: ChildProcess
  /** The output so far. */
  stderr: () => string
  done: Promise<CommandResult>
}

/** Starts the command line in its own process, with only the given environment. */
export function startCommand(args: readonly string[], env: Record<string, string>): RunningCommand {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString('utf8')))
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString('utf8')))
  const done = new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return { child, stderr: () => stderr, done }
}

export async function runCommand(
  args: readonly string[],
  env: Record<string, string>,
): Promise<CommandResult> {
  return await startCommand(args, env).done
}
