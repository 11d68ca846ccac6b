import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export const ADMIN_KEY = 'svc_benchmark-benchmark-benchmark-benchmark-00'
/** As scripts/tasks/list.mjs has it. */
const START_COMMAND = ['--max-semi-space-size=4', '--optimize-for-size', 'src/main.ts']
const START_TIMEOUT_MS = 120_000

export interface BenchServer {
  url: string
  /** From the launch of the process to the first ready answer. */
  startSeconds: number
  /** Resident memory now, in MB, as the operating system counts it. */
  residentMb(): Promise<number>
  stop(): Promise<void>
}

/** Starts the service as its users do, in a process of its own, and waits until it is ready. */
export async function startServer(environment: Record<string, string>): Promise<BenchServer> {
  const port = await freePort()
  const started = performance.now()
  const child = spawn(process.execPath, START_COMMAND, {
    env: {
      ...process.env,
      PORT: String(port),
      BOOTSTRAP_ADMIN_KEY: ADMIN_KEY,
      API_RATE_LIMIT_PER_MIN: '1000000',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, child)
  return {
    url,
    startSeconds: (performance.now() - started) / 1000,
    residentMb: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the service ended with exit code ${child.exitCode}`)
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    if (performance.now() > deadline) throw new Error('the service did not become ready')
    await sleep(20)
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/** Calls the service, as the admin key unless told otherwise; anything but success ends the benchmark. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  bearer: string = ADMIN_KEY,
): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: {
      Authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return await response.json()
}
