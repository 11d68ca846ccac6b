import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { makeSites } from './sites.ts'
import { until } from './until.ts'

export const PROCESS_ADMIN_KEY = 'svc_test-process-key-test-process-key-test-0'

/** A Node option: tests are too short to benefit from optimizing the embedded database's code again. */
export const COMPILED_ONCE = '--liftoff-only'

export interface ServiceProcess {
  child: ChildProcess
  url: string
  /** Everything written to stdout and stderr so far. */
  output(): string
  /** Waits for the process to exit; returns its exit code, null after a signal. */
  ended(): Promise<number | null>
}

/**
 * Starts `src/main.ts` as a user does, in its own process, without waiting until it is ready. The sites are built
 * before: each service would begin to build them, and be killed before it is done.
 */
export async function launchService(environment: Record<string, string>): Promise<ServiceProcess> {
  await makeSites()
  const port = await freePort()
  const child = spawn(process.execPath, [COMPILED_ONCE, 'src/main.ts'], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: '.cache/compiled',
      PORT: String(port),
      BOOTSTRAP_ADMIN_KEY: PROCESS_ADMIN_KEY,
      API_RATE_LIMIT_PER_MIN: '100000',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (data: Buffer): void => {
    output += data.toString('utf8')
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const ended = once(child, 'close').then(() => child.exitCode)
  return { child, url: `http://127.0.0.1:${port}`, output: () => output, ended: () => ended }
}

/** Waits until the service is ready. @throws Error with its output if it exits first */
export async function untilReady(
  service: Pick<ServiceProcess, 'child' | 'url'> & Partial<ServiceProcess>,
): Promise<void> {
  const output = (): string => service.output?.() ?? `exit code ${service.child.exitCode}`
  await until(
    'a service that is ready',
    async () => {
      if (service.child.exitCode !== null) throw new Error(`the service ended: ${output()}`)
      const isReady = await fetch(`${service.url}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
      return { isReady, output: output() }
    },
    ({ isReady }) => isReady,
  )
}

/** A port of 127.0.0.1 that is free right now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
