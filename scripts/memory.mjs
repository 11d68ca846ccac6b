#!/usr/bin/env node
// The `memory` executable: the command line, in the caller's folder. It needs Node 20 and npm, and fetches a newer Node and
// the packages first where they are missing.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { ensurePackages, ensureRuntime, ROOT } from './tasks/install.mjs'

try {
  const runtime = await ensureRuntime()
  await ensurePackages({ runtime, withDevelopment: false })
  const env = { NODE_COMPILE_CACHE: path.join(ROOT, '.cache', 'compiled'), ...process.env }
  process.exitCode = await run(runtime, [path.join(ROOT, 'cli/main.ts'), ...process.argv.slice(2)], env)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** The exit code of the command, 128 + the number of the signal that ended it. */
function run(runtime, args, env) {
  if (runtime === process.execPath && typeof process.execve === 'function')
    process.execve(runtime, [runtime, ...args], env)
  return new Promise((resolve, reject) => {
    const child = spawn(runtime, args, { stdio: 'inherit', env })
    // Ctrl-C reaches the command through the terminal; it decides what to do.
    process.on('SIGINT', () => {})
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}
