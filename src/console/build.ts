import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from '../kernel/logger.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The part of a failed build's output that is shown. */
const REASON_CHARACTERS_MAX = 2_000

/** Whether a site can be served: its files exist, are being built, or are missing for a reason. */
export type SiteState = { is: 'ready' } | { is: 'preparing' } | { is: 'missing'; reason: string }

export interface SiteBuild {
  readonly folder: string
  state(): SiteState
  /** Builds unless the files are up to date. `onEnd` is called even after a failure. */
  start(onEnd?: () => void): void
  stop(): void
}

interface SitePlaces {
  folder: string
  script: string
}

export function createConsoleBuild(logger: Logger, places?: SitePlaces): SiteBuild {
  const own = { folder: join(ROOT, 'console/dist'), script: join(ROOT, 'scripts/build-console.mjs') }
  return createSiteBuild(logger, 'console', places ?? own)
}

export function createGuideBuild(logger: Logger, places?: SitePlaces): SiteBuild {
  const own = { folder: join(ROOT, 'site/dist'), script: join(ROOT, 'scripts/build-guide.mjs') }
  return createSiteBuild(logger, 'guide', places ?? own)
}

/** The files of a site, which a fresh clone builds once. When a build fails, those of an earlier build stay in use. */
function createSiteBuild(logger: Logger, name: string, { folder, script }: SitePlaces): SiteBuild {
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
    start(onEnd = () => {}) {
      if (child) return
      const startedAt = performance.now()
      const building = runBuild(script, {
        onBuilding: () => {
          isBuilding = true
          logger.info({}, `building the ${name}; the API is up meanwhile`)
        },
        onEnd: (failure) => {
          if (child !== building) return
          child = undefined
          reason = failure
          if (failure !== undefined)
            logger.error({}, `the ${name} could not be built; the API is up without it: ${failure}`)
          else if (isBuilding)
            logger.info({ seconds: Math.round((performance.now() - startedAt) / 1000) }, `built the ${name}`)
          isBuilding = false
          onEnd()
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

/** `onEnd` gets the output of a failed build. The build ends with this process, because its channel closes. */
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
