import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { z } from 'zod'
import { freePort, untilReady } from '../test/support/service-process.ts'

export const ADMIN_KEY = 'svc_benchmark-benchmark-benchmark-benchmark-00'
const Tasks = z.object({ TASKS: z.object({ start: z.object({ command: z.array(z.string()) }) }) })
const list: unknown = await import(new URL('../scripts/tasks/list.mjs', import.meta.url).href)
/** The command of `npm start`. */
const START_COMMAND = Tasks.parse(list).TASKS.start.command

export interface BenchServer {
  url: string
  /** From the launch of the process to readiness. */
  startSeconds: number
  /** Current resident memory in MB, by the operating system. */
  residentMb(): Promise<number>
  stop(): Promise<void>
}

/** Starts the service as users do, in its own process, and waits until it is ready. */
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
  await untilReady({ child, url }).catch((error: unknown) => {
    child.kill()
    throw error
  })
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

const LOADING_MS_MAX = 300_000

/** Searches until the vectors in memory answer. */
export async function untilInMemory(url: string, search: () => Promise<unknown>): Promise<void> {
  const started = performance.now()
  const answered = async (): Promise<number> => {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    return Number(/^searches_total\{path="memory"\} (\d+)/m.exec(metrics)?.[1] ?? 0)
  }
  const before = await answered()
  while ((await answered()) === before) {
    if (performance.now() - started > LOADING_MS_MAX)
      throw new Error('the vectors were not taken into memory')
    await new Promise((resolve) => setTimeout(resolve, 20))
    await search()
  }
}

/** Reuses connections and does little else, so that only the service is measured. */
const agent = new Agent({ keepAlive: true })

/** Calls the service, by default with the admin key; any error ends the benchmark. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  bearer: string = ADMIN_KEY,
): Promise<unknown> {
  const { status, text } = await send(url + path, { method, body, bearer })
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return JSON.parse(text)
}

/**
 * Sends a request.
 * @returns the response's status and body
 */
export async function send(
  url: string,
  { method, body, bearer = ADMIN_KEY }: { method: string; body?: unknown; bearer?: string },
): Promise<{ status: number; text: string }> {
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  return await new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${bearer}`,
      ...(sent ? { 'Content-Type': 'application/json', 'Content-Length': sent.length } : {}),
    }
    const outgoing = request(url, { method, agent, headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(sent)
  })
}
