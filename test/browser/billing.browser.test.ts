import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { startStripeEmulator, type StripeEmulator } from '../../emulators/stripe/index.ts'
import { PLANS } from '../../src/billing/plans/plans.ts'
import { control } from '../support/paid-service.ts'
import { freePort } from '../support/service-process.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectSettled,
  startConsole,
} from './support/console.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig
let stripe: StripeEmulator

describe.skipIf(executablePath === null)('billing in a browser', () => {
  beforeAll(async () => {
    const port = await freePort()
    stripe = await startStripeEmulator({
      webhookUrl: `http://127.0.0.1:${port}/v1/webhooks/stripe`,
      webhookRetryMs: [200, 1_000],
    })
    rig = await startConsole(executablePath ?? '', { environment: stripe.env, port })
  })
  afterAll(async () => {
    await rig.close()
    await stripe.close()
  })

  it('says that an internal workspace is not billed, and sells it nothing', async () => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, (await rig.settle()).email, 'billing')
    await page.getByRole('region', { name: 'This workspace is not billed' }).waitFor()
    expect(await page.getByRole('button', { name: /^Choose/ }).count()).toBe(0)
    await close()
  })

  it("shows the plans at the service's prices, and what a small one would stop", async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { organization: workspace, email } = await rig.settle('owner', { status: 'incomplete' })
    await makeConnectors(workspace.id)
    await rig.signIn(page, email, 'billing')
    await expectSettled(page)
    await page.getByText('Questions and searches need a plan.').waitFor()
    for (const gone of ['of 0', 'No usage in this period'])
      expect(await page.getByText(gone).count(), gone).toBe(0)
    const plans = page.getByRole('region', { name: 'Plans' })
    for (const interval of ['Monthly', 'Annual'] as const) {
      await plans.getByText(interval, { exact: true }).click()
      for (const { name, ...plan } of [PLANS.builder, PLANS.studio, PLANS.scale]) {
        const card = plans.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
        const price = interval === 'Annual' ? plan.annualPriceUsd : plan.monthlyPriceUsd
        const text = await card.innerText()
        expect(text).toContain(`$${(price ?? 0).toLocaleString('en')} a`)
        expect(text).toContain(`${(plan.creditsPerMonth ?? 0).toLocaleString('en')} credits`)
        expect(text.includes('would stop')).toBe(plan.connectors !== null)
      }
    }
    await expectNoFaults(page, 'plans')
    for (const width of [390, 1024]) await expectFits(page, 'plans', width)
    await close()
  })

  it('buys a plan, shows answers over its credits, and reports a failed payment on every page', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { organization: workspace, email } = await rig.settle('owner', { status: 'incomplete' })
    await rig.signIn(page, email, 'billing')
    await buyStudio(page)
    await page.getByText(/days left of the trial|ends within a day/).waitFor()

    await rig.service.database.db
      .updateTable('subscriptions')
      .set({ credits_used: PLANS.studio.creditsPerMonth ?? 0 })
      .where('organization_id', '=', workspace.id)
      .execute()
    for (const query of ['one', 'another'])
      await rig.service.call('POST', '/v1/search', { key: workspace.adminKey, body: { query } })
    await page.reload()
    await page.getByText('Free in the trial').waitFor()

    const invoices = page.getByRole('table', { name: 'Invoices' })
    await invoices.getByText('Paid').first().waitFor()
    await expectNoFaults(page, 'invoices')
    await expectFits(page, 'invoices', 390)

    const customer = await customerOf(workspace.id)
    await control(stripe, 'change-card', { customer, card: '4000000000000341' })
    stripe.advance({ days: 8 })
    await stripe.eventsSent()
    await page.goto(`${rig.service.url}/console/`)
    await page.getByText('The last payment failed').waitFor()
    await page.getByRole('link', { name: 'See billing' }).click()
    await page.getByRole('alert').filter({ hasText: 'The last payment failed' }).waitFor()
    await page.getByRole('button', { name: 'Cards and invoices' }).click()
    await page.waitForURL(`${stripe.url}/**`)
    expect(new URL(page.url()).origin).toBe(new URL(stripe.url).origin)
    await close()
  })

  it('says when a smaller plan begins and what it will stop, while the change can be withdrawn', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { organization: workspace, email } = await rig.settle('owner', { status: 'incomplete' })
    await makeConnectors(workspace.id)
    await rig.signIn(page, email, 'billing')
    await buyStudio(page)
    stripe.advance({ days: 8 })
    await stripe.eventsSent()
    const customer = await customerOf(workspace.id)
    await control(stripe, 'change-plan', { customer, plan: 'builder_monthly' })
    await stripe.eventsSent()
    await page.reload()
    await page.getByText(/^Builder from /).waitFor()
    const notice = page.getByRole('status').filter({ hasText: 'Your plan becomes Builder on' })
    await notice.getByText(/5,000 credits a month.*would stop.*undo the change/).waitFor()
    await expectNoFaults(page, 'planned')

    await page.getByRole('button', { name: 'Cards and invoices' }).click()
    await page.waitForURL(`${stripe.url}/**`)
    await page.getByText('1 × Builder').waitFor()
    await page.getByLabel('Studio, monthly').check()
    await page.getByRole('button', { name: 'Change plan' }).click()
    await page.getByText('Your current plan stays.').waitFor()
    await stripe.eventsSent()
    await page.goto(`${rig.service.url}/console/billing`)
    await page.getByRole('button', { name: 'Manage Studio' }).waitFor()
    expect(await notice.count()).toBe(0)
    await close()
  })
})

/** Gives the workspace's sources accounts, paused so that nothing polls them: push-only ones are not connectors. */
async function makeConnectors(organizationId: string): Promise<void> {
  await rig.service.database.db
    .updateTable('sources')
    .set({ push_only: false, status: 'disabled' })
    .where('organization_id', '=', organizationId)
    .execute()
}

async function buyStudio(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Choose Studio' }).click()
  await page.waitForURL(`${stripe.url}/**`)
  await page.getByRole('button', { name: /Start trial|Pay/ }).click()
  await page.waitForURL(`${rig.service.url}/console/**`)
  await stripe.eventsSent()
  await page.goto(`${rig.service.url}/console/billing`)
  await page.getByRole('button', { name: 'Manage Studio' }).waitFor()
}

/** A workspace's customer at Stripe. */
async function customerOf(organizationId: string): Promise<string> {
  const account = await rig.service.database.db
    .selectFrom('payment_accounts')
    .select('customer_id')
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return account.customer_id ?? ''
}
