import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { startStripeEmulator, type StripeEmulator } from '../../emulators/stripe/index.ts'
import { PLANS } from '../../src/billing/plans/plans.ts'
import { type Emulators, startEmulators } from '../support/connected-service.ts'
import { control } from '../support/paid-service.ts'
import { freePort } from '../support/service-process.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { askForWeeks, PEOPLE, settleCompany } from './support/company.ts'
import { type ConsoleRig, expectSettled, startConsole } from './support/console.ts'
import { connect, openSynced } from './support/sources.ts'
import type { Scene, Stage } from './support/scene.ts'
import { failAtProvider, SCENES } from './support/scenes.ts'

const WIDTHS = [375, 768, 1280, 1920]
const HEIGHT = 900
/** Lets transitions finish. */
const REST_MS = 350
/** No scene takes that long. */
const SCENE_MS = 60_000
const LIMIT_MS = 60 * 60_000
/** The output folder: `SCREENSHOTS=.cache/screenshots npm test -- --project browser screenshots`. */
const folder = process.env.SCREENSHOTS ?? ''
/** Only scenes whose name matches this pattern. */
const only = new RegExp(process.env.SCENES ?? '')
const executablePath = inject('chromium')
const WHO = {
  owner: PEOPLE.owner,
  member: PEOPLE.member,
  newcomer: 'new@fresh.example',
  debtor: 'grace@ferro.example',
} as const

/** For visual review; the other suites assert. */
it.skipIf(executablePath === null || folder === '')(
  'every page can be drawn in every state, at every width, in both themes',
  { timeout: LIMIT_MS, retry: 0 },
  async () => {
    await mkdir(folder, { recursive: true })
    const theatre = await open(executablePath ?? '')
    const failed: string[] = []
    try {
      for (const colorScheme of ['light', 'dark'] as const)
        for (const who of ['nobody', 'newcomer', 'member', 'debtor', 'owner'] as const)
          failed.push(...(await play(theatre, who, colorScheme)))
    } finally {
      await theatre.close()
    }
    expect(failed).toEqual([])
  },
)

interface Theatre extends Omit<Stage, 'page'> {
  rig: ConsoleRig
  close(): Promise<void>
}

/** Draws everything a user sees. @returns the failures, with reasons; the others are drawn anyway */
async function play(theatre: Theatre, who: Scene['who'], colorScheme: 'light' | 'dark'): Promise<string[]> {
  const scenes = SCENES.filter((scene) => scene.who === who && only.test(scene.name))
  const failed: string[] = []
  if (scenes.length === 0) return failed
  const { context, page } = await theatre.rig.open({ colorScheme })
  page.setDefaultTimeout(SCENE_MS)
  const stage: Stage = { ...theatre, page }
  if (who !== 'nobody') await theatre.rig.signIn(page, WHO[who])
  for (const scene of scenes) {
    await page.setViewportSize({ width: 1280, height: HEIGHT })
    try {
      await scene.before?.(stage)
      // Paths can differ after # alone, which does not reload the page.
      await page.goto('about:blank')
      await page.goto(
        `${theatre.url}/console/${typeof scene.path === 'string' ? scene.path : scene.path(stage)}`,
      )
      await page.locator('main h1').waitFor()
      if (scene.name !== 'loading') await expectSettled(page)
      await scene.act?.(stage)
      await shoot(page, scene, colorScheme)
    } catch (error) {
      failed.push(`${scene.name}, ${colorScheme}: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  }
  await context.close()
  return failed
}

async function shoot(page: Page, { name, widths }: Scene, colorScheme: 'light' | 'dark'): Promise<void> {
  for (const width of WIDTHS.filter((one) => widths?.includes(one) ?? true)) {
    await page.setViewportSize({ width, height: HEIGHT })
    await page.waitForTimeout(REST_MS)
    // A window of another shape has the graph laid out again.
    await page.locator('[data-ready="false"]').waitFor({ state: 'detached' })
    // An overlay is as high as the screen; a page without one is drawn whole.
    const isCovered = (await page.locator('[role="dialog"], [role="menu"]').count()) > 0
    const image = await page.screenshot({
      path: join(folder, `${name}-${width}-${colorScheme}.png`),
      fullPage: !isCovered,
    })
    expect(image.length).toBeGreaterThan(1_000)
  }
}

/** The service with every provider, a company that uses it, a new user, and a user whose card failed. */
async function open(chromium: string): Promise<Theatre> {
  const port = await freePort()
  const stripe = await startStripeEmulator({
    webhookUrl: `http://127.0.0.1:${port}/v1/webhooks/stripe`,
    webhookRetryMs: [200, 1_000],
  })
  const emulators = await startEmulators()
  const receiver = await startReceiver()
  const rig = await startConsole(chromium, {
    environment: {
      ...stripe.env,
      ...emulators.environment,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
    },
    port,
  })
  const close = async (): Promise<void> => {
    await rig.close()
    await Promise.all([stripe.close(), emulators.close(), receiver.close()])
  }
  try {
    await fillNewcomer(rig)
    await fillDebtor(rig, stripe)
    const { connected, invitations } = await fillCompany(rig, stripe, emulators, receiver)
    return { rig, url: rig.service.url, emulators, connected, invitations, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function fillNewcomer(rig: ConsoleRig): Promise<void> {
  const { id } = await rig.service.organization({ status: 'incomplete' })
  const { db } = rig.service.database
  await db.updateTable('organizations').set({ name: 'Fresh Bakery' }).where('id', '=', id).execute()
  await db.deleteFrom('sources').where('organization_id', '=', id).execute()
  await db.deleteFrom('api_keys').where('organization_id', '=', id).execute()
  await rig.join(WHO.newcomer, 'owner', id)
}

async function fillDebtor(rig: ConsoleRig, stripe: StripeEmulator): Promise<void> {
  const workspace = await rig.service.organization({ status: 'incomplete' })
  const { db } = rig.service.database
  const { id } = workspace
  await db.updateTable('organizations').set({ name: 'Ferro Tools' }).where('id', '=', id).execute()
  await rig.join(WHO.debtor, 'owner', id)
  await buyStudio(rig, stripe, WHO.debtor)
  await db
    .updateTable('subscriptions')
    .set({ credits_used: PLANS.studio.creditsPerMonth ?? 0 })
    .where('organization_id', '=', id)
    .execute()
  for (const query of ['one', 'another'])
    await rig.service.call('POST', '/v1/search', { key: workspace.adminKey, body: { query } })
  const { customer_id: customer } = await db
    .selectFrom('payment_accounts')
    .select('customer_id')
    .where('organization_id', '=', id)
    .executeTakeFirstOrThrow()
  await control(stripe, 'change-card', { customer, card: '4000000000000341' })
  stripe.advance({ days: 8 })
  await stripe.eventsSent()
}

async function fillCompany(
  rig: ConsoleRig,
  stripe: StripeEmulator,
  emulators: Emulators,
  receiver: WebhookReceiver,
): Promise<Pick<Stage, 'connected' | 'invitations'>> {
  const company = await rig.service.organization({ status: 'incomplete' })
  await rig.join(PEOPLE.owner, 'owner', company.id)
  await buyStudio(rig, stripe, PEOPLE.owner)
  await settleCompany(rig, company)
  const { context, page } = await rig.open()
  await rig.signIn(page, PEOPLE.owner)
  const { url } = rig.service
  const connectAndSync = async (provider: string): Promise<string> => {
    const id = await connect(rig, page, provider)
    await openSynced(rig, page, id)
    return id
  }
  await page.goto(`${url}/console/sources/new`)
  await page.getByRole('listitem', { name: 'Gmail' }).getByRole('button', { name: 'Request access' }).click()
  await page.getByText('Access requested').first().waitFor()
  await rig.grant(company.id, 'google_drive')
  const connected = {
    slack: await connectAndSync('Slack'),
    google_drive: await connectAndSync('Google Drive'),
    notion: await connectAndSync('Notion'),
  }
  failAtProvider(emulators)
  await page.getByRole('button', { name: 'Sync now' }).click()
  await page
    .getByText(/Notion did not answer/)
    .first()
    .waitFor()
  const keys = []
  for (const name of ['Support bot', 'Sales assistant (MCP)']) {
    const body = { name, allowedActions: ['search', 'context', 'ask'] }
    const made = await rig.service.call('POST', '/v1/api-keys', { key: company.adminKey, body })
    keys.push(made.body.apiKey.id)
    await rig.service.call('POST', '/v1/search', { key: made.body.secret, body: { query: 'Kestrel' } })
  }
  await askForWeeks(rig, company, keys)
  await page.goto(`${url}/console/developers`)
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  await page.getByLabel('Address').fill(`${receiver.url}/memory`)
  await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('menuitem', { name: 'Send a test event' }).click()
  await page.getByRole('dialog').getByText('webhook.test').waitFor()
  const invitations = {
    open: await invite(rig, page),
    forAnother: await invite(rig, page, 'mel@lumora.example'),
  }
  await rig.join(PEOPLE.owner, 'owner', (await rig.service.organization()).id)
  await context.close()
  return { connected, invitations }
}

/** The path of a new invitation's link. */
async function invite(rig: ConsoleRig, page: Page, email?: string): Promise<string> {
  const console = `${rig.service.url}/console/`
  await page.goto(`${console}members`)
  await page.getByRole('button', { name: 'Invite a member' }).click()
  if (email !== undefined) await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Create invitation' }).click()
  const link = await page.getByRole('region', { name: 'the link' }).innerText()
  return link.trim().slice(console.length)
}

async function buyStudio(rig: ConsoleRig, stripe: StripeEmulator, email: string): Promise<void> {
  const { context, page } = await rig.open()
  await rig.signIn(page, email, 'billing')
  await page.getByRole('button', { name: 'Choose Studio' }).click()
  await page.waitForURL(`${stripe.url}/**`)
  await page.getByRole('button', { name: /Start trial|Pay/ }).click()
  await page.waitForURL(`${rig.service.url}/console/**`)
  await stripe.eventsSent()
  await context.close()
}
