import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../kernel/logger.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BUILD_SCRIPT = join(ROOT, 'scripts/build-console.mjs')
/** Where the build puts the files that are served. */
const OUTPUT = join(ROOT, 'console/dist')
/** What is shown of a build that failed. */
const REASON_CHARACTERS_MAX = 2_000

/** Where the console stands: its files can be served, are on their way, or there are none, and why. */
export type ConsoleState = { is: 'ready' } | { is: 'preparing' } | { is: 'missing'; reason: string }

export interface ConsoleBuild {
  /** The folder that is served while it is ready. */
  readonly folder: string
  state(): ConsoleState
  /** Builds in a process of its own, unless what is there is up to date. */
  start(): void
  /** Ends the build. */
  stop(): void
}

/**
 * The console's files. On a fresh clone they are built once, beside the running API; an image that was built ahead brings
 * them. A build that fails leaves the API as it is, and the files of an earlier build in use.
 */
export function createConsoleBuild(
  logger: Logger,
  { folder = OUTPUT, script = BUILD_SCRIPT }: { folder?: string; script?: string } = {},
): ConsoleBuild {
  const isThere = (): boolean => existsSync(join(folder, 'index.html'))
  let child: ChildProcess | undefined
  let isBuilding = false
  let reason: string | undefined
  return {
    folder,
    state() {
      if (isBuilding) return { is: 'preparing' }
      if (isThere()) return { is: 'ready' }
      if (child) return { is: 'preparing' }
      return { is: 'missing', reason: reason ?? 'It has not been built.' }
    },
    start() {
      if (child) return
      const startedAt = performance.now()
      const building = runBuild(script, {
        onBuilding: () => {
          isBuilding = true
          logger.info({}, 'building the console; the API is up meanwhile')
        },
        onEnd: (failure) => {
          if (child !== building) return
          child = undefined
          reason = failure
          if (failure !== undefined)
            logger.error({}, `the console could not be built, the API is up without it: ${failure}`)
          else if (isBuilding)
            logger.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, 'built the console')
          isBuilding = false
        },
      })
      child = building
    },
    stop() {
      const ending = child
      child = undefined
      ending?.kill()
    },
  }
}

/** Runs the build; `onEnd` gets what it said when it failed. It ends with this process: the channel to it closes. */
function runBuild(
  script: string,
  on: {
    onBuilding: () => void
    onEnd: (failure: string | undefined) => void
  },
): ChildProcess {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let output = ''
  child.stderr?.on('data', (data: Buffer) => {
    output = (output + data.toString()).slice(-REASON_CHARACTERS_MAX)
  })
  child.once('message', on.onBuilding)
  child.once('error', (error) => on.onEnd(error.message))
  child.once('close', (code) => on.onEnd(code === 0 ? undefined : output.trim() || `it ended with ${code}`))
  return child
}
