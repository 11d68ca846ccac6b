// The files of a project share a process (vitest.config.ts). This runs around each of them, and fails the one that would
// make a later one depend on it.
import { deepStrictEqual } from 'node:assert/strict'
import { afterAll, beforeAll, vi } from 'vitest'
import { until } from './until.ts'

/** Open while they are in use, and of no test alone: a server that listens, a process that runs. */
const ENDED_BY_THEIR_TEST = ['TCPServerWrap', 'ProcessWrap']
/** Libraries set these for themselves, once, when a local model is loaded. */
const SET_BY_LIBRARIES = new Set(['ORT_DISABLE_TELEMETRY', 'VIPSHOME'])
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What belongs to the whole process and decides how code behaves. Functions by identity, so that a stand-in is seen. */
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

/** The variables that are not as they were, without their values, which may be secret. */
function changedVariables(): string[] {
  return Object.keys({ ...environment, ...process.env }).filter(
    (name) => process.env[name] !== environment[name] && !SET_BY_LIBRARIES.has(name),
  )
}

/** How many servers listen and processes run that this process has started. */
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

// Set up before the file's own, and so run after them.
afterAll(async () => {
  deepStrictEqual(changedVariables(), [])
  deepStrictEqual(settingsOfProcess(), settings)
  await until('every server and process of this file has ended', openResources, (open) =>
    ENDED_BY_THEIR_TEST.every((name) => (open[name] ?? 0) <= (resources[name] ?? 0)),
  )
})
