import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeDataDir } from '../support/data-dir.ts'
import { type SlackEmulator, startSlackEmulator } from '../../emulators/slack/index.ts'
import { agreeElsewhere } from '../support/browser.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { rounds, seededRandom } from '../support/random.ts'
import { launchService, type ServiceProcess, untilReady } from '../support/service-process.ts'
import { until } from '../support/until.ts'

const random = seededRandom('killed sync')

let dataDir: string
let issuer: TestIssuer
let slack: SlackEmulator
let service: ServiceProcess | undefined

beforeEach(async () => {
  dataDir = await makeDataDir('memory-killed-')
  issuer = await startIssuer()
  const seed = { channels: 5, messagesPerChannel: 60, users: 6, threadShare: 0.4, endsAt: Date.now() }
  slack = await startSlackEmulator({ seed })
})
afterEach(async () => {
  service?.child.kill('SIGKILL')
  await service?.ended()
  await slack.close()
  await issuer.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function start(): Promise<ServiceProcess> {
  service = await launchService({
    ...issuer.environment,
    ...slack.env,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
  })
  await untilReady(service)
  return service
}

interface Run {
  status: string
  connectorId: string
  itemsIngested: number
}

// oxlint-disable-next-line typescript/no-explicit-any
async function call(url: string, token: string, method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(`${url}/v1/console${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return await response.json()
}

const newestRun = async (url: string, token: string): Promise<Run> =>
  (await call(url, token, 'GET', '/sync-runs')).syncRuns[0]

async function untilEnded(url: string, token: string): Promise<Run> {
  return await until(
    'the end of the run',
    () => newestRun(url, token),
    ({ status }) => status === 'succeeded' || status === 'failed',
  )
}

describe('a service killed while it syncs', () => {
  it('resumes, and finally has every item exactly once', async () => {
    const token = await issuer.token({ subject: 'ada' })
    let { url } = await start()
    await call(url, token, 'POST', '/organizations', { name: 'Killed' })
    const begun = await call(url, token, 'POST', '/connectors/slack/authorize')
    // Slow enough to be caught in the middle.
    slack.faults.add({ path: '/api/conversations', delayMs: 40 })
    await agreeElsewhere(begun.url)
    const seen: number[] = []
    for (let kill = 0; kill < rounds(1); kill++) {
      await sleep(150 + random() * 900)
      seen.push((await newestRun(url, token)).itemsIngested)
      service?.child.kill('SIGKILL')
      await service?.ended()
      ;({ url } = await start())
    }
    slack.faults.clear()
    const run = await untilEnded(url, token)
    expect(run).toMatchObject({ status: 'succeeded', errorMessage: null })
    expect(run.itemsIngested).toBeGreaterThan(0)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    const { sources } = await call(url, token, 'GET', '/sources')
    const source = sources.find(({ id }: { id: string }) => id === run.connectorId)
    expect(source).toMatchObject({ status: 'active', sourceItemCount: run.itemsIngested })
    // A full resync reads every item again, and finds none missing and none extra.
    await call(url, token, 'POST', '/sync-runs', { connectorId: run.connectorId, fullResync: true })
    expect(await untilEnded(url, token)).toMatchObject({
      status: 'succeeded',
      itemsDiscovered: run.itemsIngested,
      itemsIngested: run.itemsIngested,
      itemsDeleted: 0,
    })
  })
})
