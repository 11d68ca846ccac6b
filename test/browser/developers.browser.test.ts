import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectNoFaultsInThemes,
  expectSettled,
  follow,
  startConsole,
} from './support/console.ts'

const OWNER = 'ada@example.com'
const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('the page for developers', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '', {
      environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
    })
    await rig.join(OWNER, 'owner')
  })
  afterAll(() => rig.close())

  it('creates a working key, shows its secret once, and revokes it', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle()).email, 'developers')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('Support bot')
    await page.getByRole('button', { name: 'Create key', exact: true }).click()
    const secret = (await page.getByRole('region', { name: 'the secret' }).innerText()).trim()
    expect(secret).toMatch(/^svc_/)
    await expectNoFaults(page, 'the new key')
    await page.setViewportSize({ width: 360, height: 740 })
    const code = await page.getByRole('region', { name: 'the curl example' }).boundingBox()
    const button = await page.getByRole('button', { name: 'Copy the curl example' }).boundingBox()
    expect((code?.x ?? 0) + (code?.width ?? 0)).toBeLessThanOrEqual(button?.x ?? 0)
    await page.setViewportSize({ width: 1280, height: 720 })
    const curl = await page.getByRole('region', { name: 'the curl example' }).innerText()
    expect(curl).toContain(`${rig.service.url}/v1/ask`)
    for (const name of ['TypeScript', 'Python', 'Claude Code', 'MCP client']) {
      await page.getByRole('tab', { name }).click()
      const snippet = await page.getByRole('region', { name: `the ${name} example` }).innerText()
      expect(snippet, name).toContain(secret)
      expect(snippet, name).toContain(rig.service.url)
    }
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    expect(await page.content()).not.toContain(secret)
    expect((await search(secret)).status).toBe(200)
    expect((await ingest(secret)).status).toBe(403)

    await page.getByRole('button', { name: 'Revoke Support bot' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke Support bot?' })
    expect(await dialog.innerText()).toContain(secret.slice(0, 12))
    await dialog.getByRole('button', { name: 'Revoke key' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await search(secret)).status).toBe(401)
    const revoked = page.getByRole('dialog', { name: 'Support bot is revoked' })
    await revoked.getByRole('link', { name: 'View its activity' }).click()
    const events = page.getByRole('table', { name: 'Audit events' })
    await events.getByText('Support bot (revoked)').first().waitFor()
    await follow(page, 'developers')
    await page.getByRole('table', { name: 'API keys' }).waitFor()
    await expect.poll(() => page.getByRole('cell', { name: 'Support bot' }).count()).toBe(0)
    await close()
  })

  it('creates a key with chosen actions for chosen providers, using only the keyboard', async () => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, OWNER, 'developers')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Create a key' }).press('Enter')
    await page.getByLabel('Name').pressSequentially('Reader of the handbook')
    await page.getByRole('radio', { name: 'Custom' }).press('Space')
    for (const name of ['context', 'ask'])
      await page.getByRole('checkbox', { name, exact: true }).press('Space')
    await page.getByRole('switch', { name: 'All providers' }).press('Space')
    expect(await page.getByRole('button', { name: 'Create key', exact: true }).isDisabled()).toBe(true)
    await page.getByRole('checkbox', { name: 'Notion' }).press('Space')
    // The form is longer than the screen of a phone, and the dialog's header stays.
    await page.setViewportSize({ width: 375, height: 740 })
    await page.getByRole('button', { name: 'Create key', exact: true }).press('Enter')
    const shown = page.getByRole('region', { name: 'the secret' })
    const secret = (await shown.innerText()).trim()
    const header = await page.getByRole('dialog').locator('header').boundingBox()
    expect((await shown.boundingBox())?.y).toBeGreaterThan((header?.y ?? 0) + (header?.height ?? 0))
    await page.setViewportSize({ width: 1280, height: 720 })
    await page
      .getByRole('definition')
      .filter({ hasText: /^search$/ })
      .waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^Notion$/ })
      .waitFor()
    const { hits } = (await search(secret)).body
    expect(hits.map(({ provider }: { provider: string }) => provider)).toContain('notion')
    const listed = await rig.service.call('GET', '/v1/api-keys', { key: rig.organization.adminKey })
    expect(listed.body.apiKeys[0]).toMatchObject({ allowedActions: ['search'], allowedProviders: ['notion'] })
    await close()
  })

  it('tests a new key for Slack only with one real search, which finds nothing of other providers', async () => {
    const { organization, email } = await rig.settle()
    const body = 'Ada decided on the color of the zebra.'
    const { status } = await push(
      rig.service,
      organization,
      documentOf(organization, {
        provider: 'slack',
        externalId: 's',
        title: 'Chat',
        body,
        url: 'https://a.example',
      }),
      documentOf(organization, { provider: 'notion', externalId: 'n', title: 'Salaries', body }),
    )
    expect(status).toBe(200)
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'developers')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('Contractor')
    await page.getByRole('switch', { name: 'All providers' }).press('Space')
    await page.getByText('With uploaded and imported files.').waitFor()
    await expect.poll(() => page.getByText('With pushed documents.').count()).toBe(2)
    await page.getByRole('checkbox', { name: 'Slack' }).press('Space')
    await page.getByRole('button', { name: 'Create key', exact: true }).press('Enter')
    const secret = (await page.getByRole('region', { name: 'the secret' }).innerText()).trim()
    await page.getByRole('definition').filter({ hasText: 'Google Drive, Notion, Gmail' }).waitFor()
    await page.getByLabel('Search for').fill('Who decided on the zebra?')
    await page.getByLabel('Search for').press('Enter')
    const result = page.getByRole('status', { name: 'Test result' })
    await result.getByText('1 passage from Slack').waitFor()
    expect(await result.innerText()).not.toContain('Salaries')
    await expectNoFaultsInThemes(page, 'a tested key')
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoFaults(page, 'a tested key on a phone')
    await page.getByRole('button', { name: 'I have copied it' }).click()
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    expect(stored).not.toContain(secret)
    expect(await page.content()).not.toContain(secret)
    await close()
  })

  it('tests pasted keys: names the key, and shows why the service refuses one', async () => {
    const { organization, email } = await rig.settle()
    const { secret } = await organization.mint({ actions: ['ingest'] })
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'developers')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Test a key' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Test a key' })
    const field = dialog.getByLabel('Secret')
    const result = dialog.getByRole('status', { name: 'Test result' })
    const sent: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/search') sent.push(request.url())
    })
    await field.fill('hunter2')
    await field.press('Enter')
    await dialog.getByText('Paste the whole secret.').waitFor()
    expect(sent).toEqual([])
    await field.fill(secret)
    await field.press('Enter')
    await result.getByText('403 action_not_allowed').waitFor()
    await result.getByText('create a key that has it').waitFor()
    await dialog.getByRole('region', { name: 'Tested key' }).getByText('ingest', { exact: true }).waitFor()
    await expectNoFaultsInThemes(page, 'a refused key')
    await field.fill(`${secret.slice(0, 12)}${'x'.repeat(secret.length - 12)}`)
    expect(await result.innerText()).toBe('')
    await field.press('Enter')
    await result.getByText('401 unauthenticated').waitFor()
    const other = await (await rig.service.organization()).mint({ actions: ['search'] })
    await field.fill(other.secret)
    await field.press('Enter')
    await result.getByText('This key belongs to another workspace.').waitFor()
    // The refused key must not sign the user out.
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('table', { name: 'API keys' }).waitFor()
    expect(sent.join(' ')).not.toContain('svc_')
    await close()
  })

  it('lists requests of keys by key and status, and copies one as curl without the secret', async () => {
    const { organization, email } = await rig.settle()
    const { secret } = await organization.mint({ actions: ['search'] })
    for (const body of [{ query: 'travel' }, { query: 3 }])
      await rig.service.call('POST', '/v1/search', { key: secret, body })
    const { context, page } = await rig.open({ bypassCSP: true })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await rig.signIn(page, email, 'developers?tab=requests')
    const table = page.getByRole('table', { name: 'Requests' })
    await table.getByText('400').waitFor()
    await expectNoFaults(page, 'the request log')
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNoFaults(page, 'the request log of a phone')
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: '2xx: served' }).click()
    await table.getByText('400').waitFor({ state: 'detached' })
    expect(page.url()).toContain('status=2xx')
    await table.getByRole('button', { name: 'Copy as curl' }).first().click()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain(`${rig.service.url}/v1/`)
    expect(copied).toContain('YOUR_API_KEY')
    await page.getByRole('tab', { name: 'Keys and webhooks' }).click()
    await page.getByRole('button', { name: /^Use / }).first().click()
    const example = page.getByRole('region', { name: 'the curl example' })
    expect(await example.innerText()).toContain('YOUR_API_KEY')
    await context.close()
  })

  it('has a page for each key with its scope, creator, usage and requests, also after it is revoked', async () => {
    const { organization, email, name } = await rig.settle()
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'developers')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByLabel('Name').fill('Support bot')
    await page.getByRole('button', { name: 'Create key', exact: true }).click()
    const secret = (await page.getByRole('region', { name: 'the secret' }).innerText()).trim()
    await page.getByRole('button', { name: 'I have copied it' }).click()
    expect((await search(secret)).status).toBe(200)
    expect((await ingest(secret)).status).toBe(403)
    const other = await organization.mint({ actions: ['search'] })
    expect((await search(other.secret)).status).toBe(200)

    await page.getByRole('table', { name: 'API keys' }).getByRole('link', { name: 'Support bot' }).click()
    await page.getByRole('heading', { name: 'Support bot', level: 1 }).waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: new RegExp(`by ${name} \\(you\\)$`) })
      .waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: `${secret.slice(0, 12)}…` })
      .waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^Never; / })
      .waitFor()
    await page.getByText('1 credit', { exact: true }).waitFor()
    await page
      .getByRole('list', { name: 'Requests by day' })
      .getByLabel(/: 1 request$/)
      .waitFor()
    const requests = page.getByRole('table', { name: 'Requests' })
    await requests.getByText('403').waitFor()
    // The two of this key, and the header.
    expect(await requests.getByRole('row').count()).toBe(3)
    await expectNoFaultsInThemes(page, 'a key')
    for (const width of [390, 1024]) await expectFits(page, 'a key', width)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('Revoked API key').waitFor()
    expect((await search(secret)).status).toBe(401)

    await page.getByRole('link', { name: 'Filter by day or status' }).click()
    await page.waitForURL(/developers\?tab=requests&key=/)
    await page.getByRole('combobox', { name: 'Day' }).click()
    await page.getByRole('option', { name: 'Yesterday' }).click()
    await page.getByText('No request matches the filters.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await requests.getByRole('link', { name: 'Support bot' }).first().click()
    await page.getByText('Revoked API key').waitFor()
    expect(
      await page
        .getByRole('definition')
        .filter({ hasText: /by person-/ })
        .count(),
    ).toBe(2)
    await page.getByRole('link', { name: 'Developers' }).first().click()
    await follow(page, 'developers/keys/00000000-0000-4000-8000-000000000000')
    await page.getByText('This API key does not exist').waitFor()
    await close()
  })

  it("shows each key's requests next to the limit, and keeps them current", async () => {
    const { organization, email } = await rig.settle()
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'developers')
    const table = page.getByRole('table', { name: 'API keys' })
    await table.getByText('0 of 100,000').waitFor()
    await page.evaluate(() => Reflect.set(globalThis, 'wasNotReloaded', true))
    // More than leave the window before the page refreshes.
    for (let sent = 0; sent < 5; sent += 1) await search(organization.adminKey)
    await table.getByText(/^[1-5] of 100,000/).waitFor()
    await table.getByText('search', { exact: true }).first().waitFor()
    // Five of this many have no visible width.
    await table
      .getByRole('progressbar', { name: 'Requests of test in the last minute' })
      .waitFor({ state: 'attached' })
    expect(await page.evaluate(() => Reflect.get(globalThis, 'wasNotReloaded'))).toBe(true)
    await expectNoFaults(page, 'keys and their minutes')
    await close()
  })

  it('manages a webhook: creates, tests, replays, pauses, rotates and deletes it', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await rig.settle()).email, 'developers')
    await expectSettled(page)
    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByLabel('Address').fill('ftp://files.example.com')
    await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
    await page.getByText('url must begin with').waitFor()
    // The service itself answers 404 there, so the event is refused.
    await page.getByLabel('Address').fill(`${rig.service.url}/nowhere`)
    await page.getByRole('button', { name: 'Add webhook', exact: true }).click()
    const first = (await page.getByRole('region', { name: 'the signing secret' }).innerText()).trim()
    expect(first).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'I have copied it' }).click()

    const act = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name }).click()
    }
    await act('Send a test event')
    const drawer = page.getByRole('dialog', { name: /Deliveries/ })
    await drawer.getByText('webhook.test').waitFor()
    await drawer.getByText(/^\d attempts? · Next: /).waitFor()
    await drawer.getByRole('button', { name: 'Replay webhook.test' }).click()
    await expectNoFaults(page, 'deliveries')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })

    await act('Rotate secret')
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    const shown = page.getByRole('region', { name: 'the signing secret' })
    await shown.filter({ hasText: 'whsec_', hasNotText: first }).waitFor()
    await page.getByRole('button', { name: 'I have copied it' }).click()

    await act('Pause')
    await page.getByText('Paused', { exact: true }).waitFor()
    await act('Edit')
    await page.getByRole('switch', { name: 'All events' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('2 events').waitFor()
    await act('Delete')
    await page.getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
    await close()
  })
})

const search = (key: string) =>
  rig.service.call('POST', '/v1/search', { key, body: { query: 'paid time off' } })
const ingest = (key: string) => rig.service.call('POST', '/v1/ingest', { key, body: { documents: [] } })
