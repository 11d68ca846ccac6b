#!/usr/bin/env node
// The `memory` executable: runs the command line in the caller's folder. It needs Node 20 and npm, and first fetches
// a newer Node and the packages if they are missing.
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

/** The command's exit code, or 128 + the number of the signal that ended it. */
function run(runtime, args, env) {
  if (runtime === process.execPath && typeof process.execve === 'function')
    process.execve(runtime, [runtime, ...args], env)
  return new Promise((resolve, reject) => {
    const child = spawn(runtime, args, { stdio: 'inherit', env })
    // The terminal sends Ctrl-C to the command as well, which handles it.
    process.on('SIGINT', () => {})
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}
