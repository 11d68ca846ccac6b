// Runs one of the project's tasks: `node scripts/run.mjs TASK [ARGUMENTS]`. It needs only Node 20 and npm, so it is
// plain JavaScript on Node's own modules. It first fetches a newer Node and the packages if they are missing.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import {
  ensureConsolePackages,
  ensurePackages,
  ensurePeerPackages,
  ensureRuntime,
  ROOT,
} from './tasks/install.mjs'
import { TASKS } from './tasks/list.mjs'

/** npm forwards an interrupt that the terminal has already sent to all processes; the task must see it once. */
const REPEATED_SIGNAL_MS = 1_000

async function main([name, ...args]) {
  const task = Object.hasOwn(TASKS, name ?? '') ? TASKS[name] : undefined
  if (task === undefined) {
    console.error(`Usage: node scripts/run.mjs ${Object.keys(TASKS).join('|')} [arguments]`)
    return 2
  }
  const runtime = await ensureRuntime()
  await ensurePackages({ runtime, withDevelopment: task.needsDevelopment })
  if (task.needsConsole) await ensureConsolePackages({ runtime, withDevelopment: true })
  if (name === 'bench' && args[0] === 'peers') await ensurePeerPackages({ runtime })
  const command = [...task.command, ...(args.length > 0 ? args : (task.defaults ?? []))]
  const env = {
    ...process.env,
    PATH: `${path.dirname(runtime)}${path.delimiter}${process.env.PATH}`,
    NODE_COMPILE_CACHE: path.join(ROOT, '.cache', 'compiled'),
  }
  process.chdir(ROOT)
  // If possible, this process becomes the task, which saves a process and signal forwarding. Not on a terminal: there
  // Ctrl-C reaches the task, and npm sends it again to this process, which ignores it.
  if (runtime === process.execPath && typeof process.execve === 'function' && !process.stdin.isTTY) {
    process.execve(runtime, [runtime, ...command], env)
  }
  return await runAsChild(runtime, command, env)
}

/** Runs the task on this terminal and returns its exit code, or 128 + the signal's number. */
function runAsChild(runtime, command, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(runtime, command, { stdio: 'inherit', env })
    forwardSignals(child)
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

function forwardSignals(child) {
  const lastAt = new Map()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C reaches the child through the terminal.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      const now = performance.now()
      if (now - (lastAt.get(signal) ?? -Infinity) > REPEATED_SIGNAL_MS) child.kill(signal)
      lastAt.set(signal, now)
    })
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
