import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDataDir } from './data-dir.ts'
import { startStripeEmulator } from '../../emulators/stripe/index.ts'
import { startIssuer } from './issuer.ts'
import { OPERATOR_TOKEN } from './service.ts'
import { launchService, type ServiceProcess, untilReady } from './service-process.ts'

export interface KilledOverage {
  /** Requests sent, and those answered with 200. */
  asked: number
  answered: number
  /** The workspace's charges according to its billing page. */
  counted: number
  /** The total on the processor's meter. */
  metered: number
  /** Reports that the meter accepted, and those it already knew. */
  taken: number
  repeated: number
  kills: number
  seconds: number
}

const AT_ONCE = 16
const REPORTED_TIMEOUT_MS = 240_000

/**
 * Requests answers over a workspace's cap while the service is killed at random moments and the meter loses the first
 * and every third of its own answers; then waits until everything is reported.
 */
export async function killOverage(options: {
  answers: number
  kills: number
  random: () => number
  environment?: Record<string, string>
}): Promise<KilledOverage> {
  const dataDir = await makeDataDir('memory-overage-')
  const [issuer, stripe] = await Promise.all([startIssuer(), startStripeEmulator()])
  const startedAt = performance.now()
  let service: ServiceProcess | undefined
  const start = async (): Promise<ServiceProcess> => {
    service = await launchService({
      ...issuer.environment,
      ...stripe.env,
      OPERATOR_TOKEN,
      DATA_DIR: dataDir,
      LOG_LEVEL: 'fatal',
      ...options.environment,
    })
    await untilReady(service)
    return service
  }
  const kill = async (): Promise<void> => {
    service?.child.kill('SIGKILL')
    await service?.ended()
  }
  try {
    let { url } = await start()
    const token = await issuer.token({ subject: 'ada' })
    // oxlint-disable-next-line typescript/no-explicit-any
    const call = async (method: string, path: string, body?: object, bearer = token): Promise<any> => {
      const response = await fetch(url + path, {
        method,
        headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
      return await response.json()
    }
    const { organization } = await call('POST', '/v1/console/organizations', { name: 'Killed' })
    await call('POST', '/v1/console/billing/checkout', { tier: 'studio', interval: 'monthly' })
    const contract = { status: 'active', tier: 'studio', creditsIncluded: 0 }
    await call('PUT', `/operator/organizations/${organization.id}/subscription`, contract, OPERATOR_TOKEN)
    const lost = { path: '/v1/billing/meter_events', drop: true, afterEffect: true }
    // Also the very first answer: a quick run makes no third call.
    stripe.faults.add({ ...lost, times: 1 })
    stripe.faults.add({ ...lost, every: 3 })

    let asked = 0
    let answered = 0
    const askUntil = async (total: () => number): Promise<void> => {
      const one = async (): Promise<void> => {
        while (total() > 0) {
          asked += 1
          await call('POST', '/v1/console/search', { query: 'pto' }).then(
            () => (answered += 1),
            () => sleep(50),
          )
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, one))
    }
    const counted = async (): Promise<number> => (await call('GET', '/v1/console/billing')).overageAnswers
    for (let n = 1; n <= options.kills; n += 1) {
      const target = Math.floor((options.answers * n) / (options.kills + 1))
      const pause = sleep(options.random() * 400)
      await askUntil(() => target - answered)
      const killing = pause.then(kill)
      let isDead = false
      void killing.then(() => (isDead = true))
      await askUntil(() => (isDead || answered >= target + AT_ONCE * 4 ? 0 : 1))
      await killing
      ;({ url } = await start())
    }
    // Answers in flight at a kill may or may not be charged, so the rest is requested by the actual count.
    for (
      let left = options.answers - (await counted());
      left > 0;
      left = options.answers - (await counted())
    ) {
      let open = left
      await askUntil(() => (open-- > 0 ? 1 : 0))
    }
    const deadline = Date.now() + REPORTED_TIMEOUT_MS
    // oxlint-disable-next-line typescript/no-unnecessary-condition
    while (Date.now() < deadline) {
      const standing = await call('GET', '/operator/overage', undefined, OPERATOR_TOKEN)
      if (standing.waitingAnswers === 0) break
      await sleep(250)
    }
    const totals = stripe.meters.totals()
    const [customer = ''] = stripe.account.customers.keys()
    return {
      asked,
      answered,
      counted: await counted(),
      metered: totals.units.answers_overage?.[customer] ?? 0,
      taken: totals.taken,
      repeated: totals.repeated,
      kills: options.kills,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    }
  } finally {
    await kill()
    await Promise.all([stripe.close(), issuer.close()])
    await rm(dataDir, { recursive: true, force: true })
  }
}
