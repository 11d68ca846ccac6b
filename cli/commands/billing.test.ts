import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmulatedService, startEmulatedService } from '../support/emulated-service.ts'
import { runCommand } from '../support/run-command.ts'

const ORGANIZATION = '6f2cd5ff-70a3-4a34-9d5b-0d1a6f6f8d10'
const PAGE = 'http://127.0.0.1:8804/checkout/cs_test_1'
const PLAN = {
  status: 'trialing',
  tier: 'studio',
  interval: 'monthly',
  creditsUsed: 25_040,
  creditsIncluded: 25_000,
  creditsRemaining: 0,
  periodStart: '2026-11-01T10:00:00.000Z',
  periodEnd: '2026-12-01T10:00:00.000Z',
  trialEndsAt: '2026-11-08T10:00:00.000Z',
  cancelAtPeriodEnd: true,
  plannedChange: { at: '2026-12-01T10:00:00.000Z', tier: null, interval: null },
  overageAnswers: 40,
  overageCostUsd: '0.00',
  paymentMethodMissing: true,
}

let service: EmulatedService
let plan: object
beforeAll(async () => {
  service = await startEmulatedService()
})
afterAll(() => service.close())
beforeEach(() => {
  service.requests.length = 0
  plan = PLAN
  service.intercept = ({ method, path }) => {
    switch (`${method} ${path}`) {
      case 'GET /v1/console/me':
        return { status: 200, body: { organizations: [{ id: ORGANIZATION, name: 'Acme' }] } }
      case 'POST /v1/console/organizations':
        return { status: 201, body: { organization: { id: 'new-workspace', name: 'Shop' } } }
      case 'GET /v1/console/billing':
        return { status: 200, body: plan }
      case 'POST /v1/console/billing/checkout':
      case 'POST /v1/console/billing/portal':
        return { status: 200, body: { url: PAGE } }
      default:
        return undefined
    }
  }
})

const billing = async (...args: string[]) =>
  await runCommand(['billing', ...args], { MEMORY_URL: service.url, MEMORY_CONSOLE_TOKEN: 'token' })

describe('memory billing', () => {
  it('shows the plan, its usage, the price of extra answers, and what is missing', async () => {
    const { stdout, code } = await billing('show')
    expect(stdout.trimEnd().split('\n')).toEqual([
      'Plan     studio, monthly (trialing)',
      'Credits  25040 of 25000',
      'Period   2026-11-01 10:00 to 2026-12-01 10:00',
      'Trial    until 2026-11-08 10:00',
      'Extra    40 answers, free in the trial',
      'Ends     2026-12-01 10:00',
      'Card     missing: add one in the portal',
    ])
    expect(code).toBe(0)
  })

  it("shows the plan's next change, and the price of extra answers after it", async () => {
    const at = '2026-12-01T10:00:00.000Z'
    const next = { at, tier: 'builder', interval: 'monthly' }
    plan = {
      ...PLAN,
      trialEndsAt: null,
      overageCostUsd: '0.60',
      cancelAtPeriodEnd: false,
      plannedChange: next,
    }
    expect((await billing('show')).stdout.split('\n').slice(3, 5)).toEqual([
      'Extra    40 answers, 0.60 USD so far',
      'Then     builder, monthly from 2026-12-01 10:00',
    ])
  })

  it('prints a checkout page for the chosen workspace and interval', async () => {
    expect((await billing('checkout', 'scale', '--annual')).stdout).toContain(PAGE)
    expect(service.requests.at(-1)).toMatchObject({
      body: { tier: 'scale', interval: 'annual' },
      headers: { 'x-organization-id': ORGANIZATION, authorization: 'Bearer token' },
    })
  })

  it('creates a workspace for a checkout on request', async () => {
    const { stdout } = await billing('checkout', 'builder', '--new', 'Shop')
    expect(stdout).toContain('new-workspace')
    expect(service.requests.map(({ path, body }) => [path, body])).toEqual([
      ['/v1/console/organizations', { name: 'Shop' }],
      ['/v1/console/billing/checkout', { tier: 'builder', interval: 'monthly' }],
    ])
    expect(service.requests.at(-1)?.headers['x-organization-id']).toBe('new-workspace')
  })

  it("prints the portal's page, or the service's message when there is none", async () => {
    expect((await billing('portal', '--json')).stdout).toContain(`"url": "${PAGE}"`)
    service.intercept = ({ path }) =>
      path.startsWith('/v1/console/me')
        ? { status: 200, body: { organizations: [{ id: ORGANIZATION, name: 'Acme' }] } }
        : { status: 503, body: { error: 'This deployment has no payment processor', code: 'not_configured' } }
    expect(await billing('portal')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no payment processor'),
    })
  })

  it('rejects a tier that is not for sale', async () => {
    expect((await billing('checkout', 'enterprise')).code).toBe(2)
  })
})
