import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Emulators, emulatorOf, sleepBriefly, startEmulators } from '../support/connected-service.ts'
import { sampleDocx, samplePdf } from '../support/sample-files.ts'
import type { TestOrganization } from '../support/service.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectSettled,
  follow,
  OF_THEMES,
  startConsole,
} from './support/console.ts'
import { chooseTab, connect, createVisits, openSynced } from './support/sources.ts'

const executablePath = inject('chromium')
const LIMIT_BYTES = 25 * 1024 * 1024

let rig: ConsoleRig
let emulators: Emulators
let visit: ReturnType<typeof createVisits>

async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

const items = (page: Page) => page.getByRole('table', { name: 'Stored items' })

describe.skipIf(executablePath === null)('sources in a browser', () => {
  beforeAll(async () => {
    emulators = await startEmulators()
    rig = await startConsole(executablePath ?? '', {
      environment: { ...emulators.environment, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
      sleep: sleepBriefly,
    })
    visit = createVisits(rig)
  })
  afterEach(() => {
    for (const provider of ['slack', 'notion', 'gmail'] as const)
      emulatorOf(emulators, provider).faults.clear()
  })
  afterAll(async () => {
    await rig.close()
    await emulators.close()
  })

  it('requests access to a gated provider, shows that it is pending, and connects it once approved', async () => {
    const { page, organization, close } = await visit('sources/new')
    const gmail = page.getByRole('listitem', { name: 'Gmail' })
    await gmail.getByRole('button', { name: 'Request access' }).click()
    await gmail.getByText('Access requested').waitFor()
    await page.goto(`${rig.service.url}/console/`)
    await page.getByText('Gmail waits for access').waitFor()
    await rig.grant(organization.id, 'gmail')
    const sourceId = await connect(rig, page, 'Gmail')
    await openSynced(rig, page, sourceId)
    expect(await page.getByRole('table', { name: 'Runs' }).getByText('Failed').count()).toBe(0)
    await chooseTab(page, 'Items')
    await items(page).getByRole('row').nth(1).waitFor()
    await close()
  })

  it('allows and connects a gated provider in one step for the owner of the local workspace', async () => {
    const { db } = rig.service.database
    const { page, organization, close } = await visit('sources')
    const markLocal = (isLocal: boolean) =>
      db.updateTable('organizations').set({ is_local: isLocal }).where('id', '=', organization.id).execute()
    await markLocal(true)
    await page.goto(`${rig.service.url}/console/sources/new`)
    await expectSettled(page)
    expect(await page.getByRole('button', { name: /^Request access/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Allow and connect Gmail' }).click()
    await page.getByText('Gmail is connected').waitFor()
    await markLocal(false)
    await close()
  })

  it('connects every other provider through its own page, and shows new items without a reload', async () => {
    const { page, organization, close } = await visit('sources/new')
    await rig.grant(organization.id, 'google_drive')
    for (const [name, path] of [
      ['Slack', '/api/conversations.history'],
      ['Notion', '/v1/'],
      ['Google Drive', '/drive/v3/files/1File'],
    ] as const) {
      const provider = name === 'Slack' ? 'slack' : name === 'Notion' ? 'notion' : 'google_drive'
      emulatorOf(emulators, provider).faults.add({ path, delayMs: 50 })
      const sourceId = await connect(rig, page, name)
      await page.getByRole('link', { name: /./ }).first().waitFor()
      await follow(page, `sources/${sourceId}`)
      await page.evaluate(() => Reflect.set(globalThis, 'wasNotReloaded', true))
      await items(page).getByRole('row').nth(1).waitFor()
      await chooseTab(page, 'History')
      await page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').waitFor()
      expect(await page.evaluate(() => Reflect.get(globalThis, 'wasNotReloaded'))).toBe(true)
      emulatorOf(emulators, provider).faults.clear()
    }
    await chooseTab(page, 'Permissions')
    await page.getByRole('region', { name: 'File permissions' }).waitFor()
    await close()
  })

  it('reads a source again that was read before its run ended', async () => {
    const { page, close } = await visit('sources/new')
    const sourceId = await connect(rig, page, 'Notion')
    await openSynced(rig, page, sourceId)
    const readBefore = (status: string) =>
      page.route(
        '**/v1/console/sources',
        async (route) => {
          const response = await route.fetch()
          const body = await response.json()
          for (const source of body.sources) Object.assign(source, { status, lastSyncedAt: null })
          await route.fulfill({ response, json: body })
        },
        { times: 1 },
      )
    await readBefore('pending')
    await page.reload()
    await page.getByText('Active').waitFor()
    expect(await page.getByText('No sync has succeeded so far').count()).toBe(0)
    await readBefore('error')
    await page.goto(`${rig.service.url}/console/`)
    await page.getByRole('region', { name: 'Sources' }).getByText('Active').first().waitFor()
    await page.getByRole('region', { name: 'Needs attention' }).waitFor({ state: 'detached' })
    await close()
  })

  it('says that nothing was connected when the user refuses at the provider', async () => {
    const { page, close } = await visit('sources?provider=slack&error=access_denied')
    const notice = page.getByRole('status').filter({ hasText: 'Slack was not connected' })
    expect(await notice.innerText()).toContain('access was not allowed at the provider')
    // Anyone can write a URL.
    await page.goto(`${rig.service.url}/console/sources?provider=slack&error=call_this_number`)
    await notice.getByText('the provider refused the request').waitFor()
    expect(await notice.innerText()).not.toContain('call')
    await close()
  })

  it('pauses, resumes and renames a source, and syncs it again', async () => {
    const { page, close } = await visit('sources/new')
    const sourceId = await connect(rig, page, 'Notion')
    await page.getByRole('table', { name: 'Sources' }).waitFor()
    expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0)
    await openSynced(rig, page, sourceId)
    await page.getByText(/^in \d+ minutes$/).waitFor()
    await chooseAction(page, 'Pause')
    await page.getByText('This source is paused').waitFor()
    await page.getByText('Resume the source to sync it').waitFor()
    expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('This source is paused').waitFor({ state: 'detached' })
    await chooseAction(page, 'Rename')
    await page.getByRole('textbox', { name: 'Name' }).fill('The wiki')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('heading', { name: 'The wiki' }).waitFor()
    await chooseAction(page, 'Full sync')
    const runs = page.getByRole('table', { name: 'Runs' })
    await runs.getByText('full sync').waitFor()
    await expect.poll(() => runs.getByText('Succeeded').count(), { timeout: 60_000 }).toBe(2)
    await close()
  })

  it('shows what a provider that is down reported, and on Home what to do about it, with the button', async () => {
    const { page, close } = await visit('sources/new')
    const sourceId = await connect(rig, page, 'Notion')
    await openSynced(rig, page, sourceId)
    emulatorOf(emulators, 'notion').faults.add({ path: '/v1/', drop: true })
    await page.getByRole('button', { name: 'Sync now' }).click()
    await page
      .getByRole('alert')
      .getByText(/Notion did not answer/)
      .waitFor()
    await page.getByRole('alert').getByText('The next sync tries again.').waitFor()
    await page.goto(`${rig.service.url}/console/`)
    const concerns = page.getByRole('region', { name: 'Needs attention' })
    await concerns.getByText('The next sync tries again.').waitFor()
    await expect.poll(() => concerns.getByText(/did not answer/).count()).toBe(0)
    emulatorOf(emulators, 'notion').faults.clear()
    await concerns.getByRole('button', { name: 'Sync now' }).click()
    await concerns.waitFor({ state: 'detached' })
    expect(await page.getByRole('region', { name: 'Sources' }).getByText('Failing').count()).toBe(0)
    await close()
  })

  it('imports files and shows each result, says beforehand what is not supported, and retries failed ones', async () => {
    const { page, organization, close } = await visit('sources/import')
    let isDown = true
    await page.route('**/v1/console/files?*', (route) =>
      isDown && route.request().url().includes('Travel')
        ? route.fulfill({ status: 500, json: { error: 'Something broke here', code: 'internal_error' } })
        : route.continue(),
    )
    await page.getByRole('combobox', { name: 'Source' }).click()
    await page.getByRole('option', { name: 'A new source' }).click()
    await page.getByLabel('Name').fill('Handbook')
    await page.getByLabel('Files to import').setInputFiles([
      {
        name: 'Vacation.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from('# Vacation\n\nEmployees get 25 days.'),
      },
      {
        name: 'Travel.docx',
        mimeType: '',
        buffer: await sampleDocx('Travel', 'Grace Hopper approves travel.'),
      },
      { name: 'Expenses.pdf', mimeType: 'application/pdf', buffer: samplePdf('Receipts go to finance') },
      { name: 'Scan.gif', mimeType: 'image/gif', buffer: Buffer.from('no text') },
      { name: 'Huge.txt', mimeType: 'text/plain', buffer: Buffer.alloc(LIMIT_BYTES + 1, 'a') },
      { name: '.DS_Store', mimeType: '', buffer: Buffer.from('x') },
    ])
    await page.getByText('5 of 5 done · 2 stored · 2 not sent · 1 failed · 1 hidden file left out').waitFor()
    const row = (name: string) =>
      page.getByRole('table', { name: 'Files' }).getByRole('row').filter({ hasText: name })
    expect(await row('Travel.docx').innerText()).toContain('Something broke here')
    expect(await row('Scan.gif').innerText()).toContain('Unsupported format')
    expect(await row('Huge.txt').innerText()).toContain('Too large')
    isDown = false
    await page.getByRole('button', { name: 'Retry failed files' }).click()
    await page.getByText('5 of 5 done · 3 stored').waitFor()
    const found = await rig.service.call('POST', '/v1/search', {
      key: organization.adminKey,
      body: { query: 'Who approves travel?' },
    })
    expect(JSON.stringify(found.body)).toContain('Grace Hopper')
    await page.getByRole('link', { name: 'Sources', exact: true }).first().click()
    // Anywhere in the row.
    const ofHandbook = page
      .getByRole('table', { name: 'Sources' })
      .getByRole('row')
      .filter({ hasText: 'Handbook' })
    await ofHandbook.click()
    await items(page).getByText('Vacation').waitFor()
    await close()
  })

  it('accepts dropped files', async () => {
    const { page, organization, close } = await visit('sources')
    await page.goto(`${rig.service.url}/console/sources/import?source=${organization.sources.notion}`)
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['The on-call engineer answers pages.'], 'On call.txt', { type: 'text/plain' }))
      return transfer
    })()`)
    await page.getByRole('group', { name: 'Drop files here' }).dispatchEvent('drop', { dataTransfer: data })
    await page.getByText('1 of 1 done · 1 stored').waitFor()
    const { body } = await rig.service.call('GET', '/v1/source-items', { key: organization.adminKey })
    expect(body.sourceItems).toMatchObject([{ externalId: 'On call.txt', provider: 'notion' }])
    await close()
  })

  it('opens a stored item by its URL with text and metadata, and deletes it after a confirmation', async () => {
    const { page, organization, close } = await visit('sources')
    await ingest(organization, 60)
    await page.goto(`${rig.service.url}/console/sources/items?provider=notion`)
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 4_000)
          return await items(page).getByRole('row').count()
        },
        { timeout: 60_000 },
      )
      .toBe(61)
    await items(page).getByRole('button', { name: 'Page 7', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'Page 7' })
    await drawer.getByText('What page 7 says').waitFor()
    await drawer.getByText('"team": "people"').waitFor()
    expect(await drawer.getByRole('link', { name: /Open the original at Notion/ }).getAttribute('href')).toBe(
      'https://wiki.example.com/7',
    )
    await page.reload()
    await drawer.getByRole('button', { name: 'Delete this item' }).click()
    await page.getByText('“Page 7” can no longer be found or cited.').waitFor()
    await page.getByRole('button', { name: 'Delete item' }).click()
    await drawer.waitFor({ state: 'detached' })
    await expectSettled(page)
    expect(await items(page).getByRole('button', { name: 'Page 7', exact: true }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Messages' }).click()
    await page.getByText('No results').waitFor()
    await close()
  })

  it('syncs one item again, from its row and from its page, and deletes it once its source no longer has it', async () => {
    const { page, organization, close } = await visit('sources/new')
    await ingest(organization, 1)
    const id = emulators.notion.state.create({ title: 'Door codes', markdown: 'The code is 1111.' })
    await openSynced(rig, page, await connect(rig, page, 'Notion'))
    await chooseTab(page, 'Items')
    emulators.notion.state.edit(id, { markdown: 'The code is 2222.' })
    await page.getByRole('button', { name: 'Actions for Door codes' }).click()
    await page.getByRole('menuitem', { name: 'Sync again' }).click()
    await page.getByText('Updated.', { exact: true }).waitFor()
    await items(page).getByRole('button', { name: 'Door codes', exact: true }).click()
    const drawer = page.getByRole('dialog', { name: 'Door codes' })
    await drawer.getByText('The code is 2222.').waitFor()
    await drawer.getByRole('button', { name: 'Sync again' }).press('Enter')
    await drawer.getByText('Already up to date.').waitFor()
    emulators.notion.state.trash(id)
    await drawer.getByRole('button', { name: 'Sync again' }).click()
    await page.getByText('Deleted, because it no longer exists at its source.').waitFor()
    await page.getByRole('button', { name: 'Close the item' }).click()
    await expect
      .poll(() => items(page).getByRole('button', { name: 'Door codes', exact: true }).count())
      .toBe(0)
    await page.goto(`${rig.service.url}/console/sources/${organization.sources.notion}`)
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Delete item' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Sync again' }).count()).toBe(0)
    await close()
  })

  it('removes a source after counting its items, once its name is typed', async () => {
    const { page, organization, close } = await visit('sources')
    await ingest(organization, 3)
    await page.goto(`${rig.service.url}/console/sources/${organization.sources.notion}`)
    await chooseAction(page, 'Delete')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('3 items with 3 passages will be deleted.').waitFor()
    const remove = dialog.getByRole('button', { name: 'Delete the source' })
    expect(await remove.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('notion')
    await remove.click()
    await page.getByRole('heading', { name: 'Sources' }).waitFor()
    await page.getByRole('link', { name: 'slack' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'notion' }).count()).toBe(0)
    const { body } = await rig.service.call('GET', '/v1/source-items', { key: organization.adminKey })
    expect(body.sourceItems).toEqual([])
    await page.goBack()
    await page.getByRole('heading', { name: 'This source does not exist' }).waitFor()
    await close()
  })

  it('creates a source for pushed documents', async () => {
    const { page, close } = await visit('sources/new')
    await page.getByRole('textbox', { name: 'Name' }).fill('Support tickets')
    await page.getByRole('button', { name: 'Create source' }).click()
    await page.getByRole('heading', { name: 'Support tickets' }).waitFor()
    await page.getByText('No items yet').waitFor()
    await expect
      .poll(() => page.getByRole('link', { name: 'Import files' }).count(), { timeout: 60_000 })
      .toBe(2)
    await close()
  })

  it('passes axe and fits the screen, narrow in light and wide in dark, on every page of a source', async () => {
    const { page, organization, close } = await visit('sources/new', { bypassCSP: true })
    const look = async (where: string): Promise<void> => {
      await page.setViewportSize({ width: 360, height: 800 })
      await page.emulateMedia({ colorScheme: 'light' })
      await page.locator('html[data-mantine-color-scheme="light"]').waitFor()
      await expectNoFaults(page, `${where}, light`)
      await expectFits(page, where, 360)
      await expectFits(page, where, 1280)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
      await expectNoFaults(page, `${where}, dark`, OF_THEMES)
    }
    await ingest(organization, 3)
    const connected = await connect(rig, page, 'Slack')
    await openSynced(rig, page, connected)
    for (const path of ['new', 'import', connected, organization.sources.notion]) {
      await follow(page, `sources/${path}`)
      await look(path)
    }
    await items(page).getByRole('cell').getByRole('button').first().click()
    await page.getByRole('dialog').getByText('What page').waitFor()
    await look('an item')
    await close()
  })
})

async function ingest(organization: TestOrganization, pages: number): Promise<void> {
  const documents = Array.from({ length: pages }, (_, page) => ({
    connectorId: organization.sources.notion,
    provider: 'notion',
    sourceKind: 'document',
    externalId: `page/${page}`,
    title: `Page ${page}`,
    body: `What page ${page} says`,
    url: `https://wiki.example.com/${page}`,
    metadata: { team: 'people' },
  }))
  const { status } = await rig.service.call('POST', '/v1/ingest', {
    key: organization.adminKey,
    body: { documents },
  })
  expect(status).toBe(200)
}
