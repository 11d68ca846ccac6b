// The files of a project share a process (vitest.config.ts). This runs around each file and fails one that would
// affect later ones.
import { deepStrictEqual } from 'node:assert/strict'
import { afterAll, beforeAll, vi } from 'vitest'
import { until } from './until.ts'

/** Resources that a test must close: listening servers and running processes. */
const ENDED_BY_THEIR_TEST = ['TCPServerWrap', 'ProcessWrap']
/** Libraries set these once when a local model is loaded. */
const SET_BY_LIBRARIES = new Set(['ORT_DISABLE_TELEMETRY', 'VIPSHOME'])
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Process-wide state that affects code. Functions are compared by identity, so that a stub is detected. */
function settingsOfProcess() {
  return {
    folder: process.cwd(),
    isTimeStopped: vi.isFakeTimers(),
    listeners: SIGNALS.map((name) => process.listenerCount(name)),
    functions: [
      globalThis.fetch,
      globalThis.setTimeout,
      globalThis.setInterval,
      globalThis.Date,
      Date.now,
      Math.random,
      performance.now,
      process.exit,
      process.stdout.write,
      process.stderr.write,
    ],
  }
}

/** The names of changed variables, without their values, which may be secret. */
function changedVariables(): string[] {
  return Object.keys({ ...environment, ...process.env }).filter(
    (name) => process.env[name] !== environment[name] && !SET_BY_LIBRARIES.has(name),
  )
}

/** How many listening servers and child processes this process has. */
function openResources(): Record<string, number> {
  const all = process.getActiveResourcesInfo()
  return Object.fromEntries(
    ENDED_BY_THEIR_TEST.map((name) => [name, all.filter((one) => one === name).length]),
  )
}

let environment: NodeJS.ProcessEnv
let settings: ReturnType<typeof settingsOfProcess>
let resources: ReturnType<typeof openResources>

beforeAll(() => {
  environment = { ...process.env }
  settings = settingsOfProcess()
  resources = openResources()
})

// Set up before the file's own hooks, and so run after them.
afterAll(async () => {
  deepStrictEqual(changedVariables(), [])
  deepStrictEqual(settingsOfProcess(), settings)
  await until('every server and process of this file has ended', openResources, (open) =>
    ENDED_BY_THEIR_TEST.every((name) => (open[name] ?? 0) <= (resources[name] ?? 0)),
  )
})
