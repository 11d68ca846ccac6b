import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectNoFaultsInThemes,
  expectSettled,
  startConsole,
} from './support/console.ts'

const MORE_THAN_A_PAGE = 60
const executablePath = inject('chromium')

let rig: ConsoleRig

/** A workspace with this many audited context requests, followed by a new key. @returns its owner */
async function someTrail(contexts: number): Promise<string> {
  const { organization, email } = await rig.settle()
  const key = organization.adminKey
  for (let at = 0; at < contexts; at += 1)
    await rig.service.call('POST', '/v1/context', { key, body: { query: `question ${at}` } })
  await rig.service.call('POST', '/v1/api-keys', {
    key,
    body: { name: '=Minted', allowedActions: ['search'] },
  })
  return email
}

describe.skipIf(executablePath === null)('the audit trail in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it('shows a burst as one row with its count, which opens in its place by keyboard', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, await someTrail(MORE_THAN_A_PAGE), 'audit')
    const table = page.getByRole('table', { name: 'Audit events' })
    const rows = table.getByRole('row')
    await rows.nth(1).getByText('Created a key').waitFor()
    const burst = table.getByRole('button', {
      name: new RegExp(`^Retrieved a Context Contract\\s*${MORE_THAN_A_PAGE}\\s*events$`),
    })
    await expect.poll(() => rows.count()).toBe(3)
    await burst.press('Enter')
    const more = page.getByRole('button', { name: 'Show more' })
    await more.press('Enter')
    await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(MORE_THAN_A_PAGE + 3)
    await rows.last().getByText('question 0', { exact: true }).waitFor()
    await expectNoFaults(page, 'an open burst')
    for (const width of [390, 1024]) await expectFits(page, 'an open burst', width)
    await burst.press('Enter')
    await expect.poll(() => rows.count()).toBe(3)
    await close()
  })

  it('names targets and links to where they can be seen', async () => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, await someTrail(1), 'audit')
    const table = page.getByRole('table', { name: 'Audit events' })
    await table.getByText('question 0', { exact: true }).waitFor()
    await table.getByRole('link', { name: '=Minted' }).click()
    await page.getByRole('heading', { name: '=Minted', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toMatch(/\/developers\/keys\/[0-9a-f-]{36}$/)
    await close()
  })

  it('has large enough targets and recognizable links on a phone', async () => {
    const { organization, email } = await rig.settle()
    const names = ['X', 'Bo', 'Bot', 'Bot 1', 'Bot 12', 'Bot 123', 'Bot 1234']
    for (const name of names) {
      const body = { name, allowedActions: ['search'] }
      await rig.service.call('POST', '/v1/api-keys', { key: organization.adminKey, body })
    }
    const { page, close } = await rig.openTab({ bypassCSP: true, viewport: { width: 390, height: 844 } })
    await rig.signIn(page, email, 'audit')
    await page.getByRole('table').locator('[aria-expanded="false"]').click()
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor()
    await expectNoFaults(page, 'the trail on a phone')
    await close()
  })

  it('opens a retrieval from anywhere in its row, with how much it found, and links to the key', async () => {
    const { organization, email } = await rig.settle()
    const { secret } = await organization.mint({ actions: ['search'] })
    const document = documentOf(organization, { externalId: 'handbook/vacation' })
    expect((await push(rig.service, organization, document)).status).toBe(200)
    const asked = { key: secret, body: { query: 'How many days of paid time off?' } }
    expect((await rig.service.call('POST', '/v1/search', asked)).status).toBe(200)
    expect((await rig.service.call('POST', '/v1/ask', asked)).status).toBe(403)
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'audit?action=search.retrieve')
    const table = page.getByRole('table', { name: 'Audit events' })
    // The button of the row covers it.
    await table.getByRole('cell', { name: 'test', exact: true }).click({ force: true })
    const drawer = page.getByRole('dialog', { name: 'Searched' })
    const fact = (name: string) =>
      drawer.locator('dt').filter({ hasText: name }).locator('xpath=following-sibling::dd[1]').innerText()
    expect(await fact('Question')).toBe('How many days of paid time off?')
    expect(await fact('Passages found')).toBe('1')
    expect(await fact('Providers')).toBe('Notion')
    await expectNoFaultsInThemes(page, 'a retrieval')
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNoFaults(page, 'a retrieval on a phone')
    await page.setViewportSize({ width: 1280, height: 720 })
    await drawer.getByRole('link', { name: 'test' }).click()
    await page.getByRole('heading', { name: 'test', level: 1 }).waitFor()
    // The trail contains successful requests; the request log contains refused ones.
    await page.getByRole('link', { name: 'See its audit trail' }).click()
    await page.getByRole('link', { name: 'Refused requests' }).click()
    const refused = page.getByRole('table', { name: 'Requests' })
    await refused.getByText('403').waitFor()
    expect(await refused.getByRole('row').count()).toBe(2)
    await close()
  })

  it('names a deleted item by its external ID, and finds by it who deleted it', async () => {
    const { organization, email } = await rig.settle()
    const key = organization.adminKey
    const document = documentOf(organization, { externalId: 'handbook/vacation' })
    expect((await push(rig.service, organization, document)).status).toBe(200)
    const query = new URLSearchParams({ provider: 'notion', externalId: 'handbook/vacation' }).toString()
    expect((await rig.service.call('DELETE', `/v1/source-items?${query}`, { key })).status).toBe(200)
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email, 'audit')
    await page.getByLabel('Target').fill('handbook/vacation')
    const row = page.getByRole('table', { name: 'Audit events' }).getByRole('row').nth(1)
    await row.getByText('Deleted an item').waitFor()
    await row.getByText(/^Source item handbook\/vacation of /).waitFor()
    await close()
  })

  it('keeps its filters in the URL, opens an event, and links to similar ones', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, await someTrail(1), 'audit?action=api_key.create')
    await expectSettled(page)
    const table = page.getByRole('table', { name: 'Audit events' })
    await expect.poll(() => table.getByRole('row').count()).toBe(2)
    await table.getByRole('button', { name: 'Created a key' }).click()
    const drawer = page.getByRole('dialog', { name: 'Created a key' })
    await drawer.getByRole('definition').filter({ hasText: '=Minted' }).first().waitFor()
    await drawer.getByText('Metadata as JSON').click()
    expect(await drawer.getByRole('region', { name: 'the metadata' }).innerText()).toContain('=Minted')
    await expectNoFaults(page, 'an event')
    await drawer.getByRole('button', { name: 'Filter by target' }).click()
    await page.waitForURL(/target=/)
    expect(new URL(page.url()).searchParams.get('action')).toBeNull()
    await page.reload()
    await expectSettled(page)
    await expect.poll(() => table.getByRole('row').count()).toBe(2)
    await page.getByLabel('Until').fill('2020-01-01T00:00')
    await page.getByText('No results').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await table.getByText('Created a key').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await close()
  })

  it('accepts typing in the target field while a search is running', async () => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, await someTrail(1), 'audit')
    await page.getByLabel('Target').click()
    await page.keyboard.type('abc')
    await page.waitForURL(/target=abc$/)
    await page.keyboard.type('def')
    await page.waitForURL(/target=abcdef$/)
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await page.waitForURL(/audit$/)
    await expect.poll(() => page.getByLabel('Target').inputValue()).toBe('')
    await close()
  })

  it('exports the filtered events as a file, with the token in no URL', async () => {
    const { context, page } = await rig.open({ acceptDownloads: true })
    // Without the save dialog, as in Firefox and Safari.
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'))
    await rig.signIn(page, await someTrail(1), 'audit?action=api_key.create')
    await expectSettled(page)
    for (const [kind, ending] of [
      ['CSV', 'csv'],
      ['JSON lines', 'jsonl'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: kind }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(new RegExp(`^audit-[0-9-]{10}\\.${ending}$`))
      const text = await readFile(await download.path(), 'utf8')
      expect(text.trim().split('\n')).toHaveLength(ending === 'csv' ? 2 : 1)
      expect(text).toContain('=Minted')
      expect(download.url()).toMatch(/^blob:/)
    }
    await page.getByText(/^Exported: /).waitFor()
    await context.close()
  })
})
