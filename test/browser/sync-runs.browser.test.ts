import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Emulators, sleepBriefly, startEmulators } from '../support/connected-service.ts'
import { type ConsoleRig, expectFits, expectNoFaultsInThemes, startConsole } from './support/console.ts'
import { beginToConnect, chooseTab, connect, createVisits, openSynced } from './support/sources.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig
let emulators: Emulators
let visit: ReturnType<typeof createVisits>

describe.skipIf(executablePath === null)('the syncs of a source in a browser', () => {
  beforeAll(async () => {
    emulators = await startEmulators()
    rig = await startConsole(executablePath ?? '', {
      environment: { ...emulators.environment, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
      sleep: sleepBriefly,
    })
    visit = createVisits(rig)
  })
  afterAll(async () => {
    await rig.close()
    await emulators.close()
  })

  it('counts what a run found so that it adds up, and names what it skipped with the reason', async () => {
    const { page, organization, close } = await visit('sources/new')
    await rig.grant(organization.id, 'google_drive')
    emulators.google.drive.create({ name: 'logo.gif', mimeType: 'image/gif', content: 'GIF89a' })
    const sourceId = await connect(rig, page, 'Google Drive')
    await openSynced(rig, page, sourceId)
    const run = page.getByRole('table', { name: 'Runs' }).getByRole('row').nth(1)
    const countIn = async (label: string): Promise<number> =>
      Number(await run.locator(`[data-label="${label}"]`).innerText())
    const parts = await Promise.all(['Stored', 'Unchanged', 'Removed', 'Skipped'].map(countIn))
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(await countIn('Found'))
    await run.getByRole('button', { name: /skipped: show them$/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${await countIn('Found')} found: `).waitFor()
    await dialog
      .getByRole('table', { name: 'Skipped items' })
      .getByRole('row', { name: /logo\.gif.*Files of type image\/gif are not read/ })
      .waitFor()
    await close()
  })

  it('explains a missing permission in place of quoting the provider, and reconnects', async () => {
    const { page, organization, close } = await visit('sources/new', { bypassCSP: true })
    await rig.grant(organization.id, 'google_drive')
    const sourceId = await connect(rig, page, 'Google Drive')
    await openSynced(rig, page, sourceId)
    const message = 'Request had insufficient authentication scopes.'
    const error = { code: 403, message, errors: [{ message, reason: 'insufficientPermissions' }] }
    emulators.google.faults.add({ path: '/drive/v3/', status: 403, body: { error } })
    await page.getByRole('button', { name: 'Sync now' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('The connection lacks a permission that Google Drive requires.').waitFor()
    expect(await alert.getByText(message).count()).toBe(0)
    await expectNoFaultsInThemes(page, 'a missing permission')
    emulators.google.faults.clear()
    await page.goto(`${rig.service.url}/console/sources`)
    const row = page
      .getByRole('table', { name: 'Sources' })
      .getByRole('row', { name: /Google Drive account/ })
    await row.getByText('The connection lacks a permission that Google Drive requires.').waitFor()
    await expectNoFaultsInThemes(page, 'a failing source in the list')
    for (const width of [390, 768, 1280]) await expectFits(page, 'a failing source in the list', width)
    await page.goto(`${rig.service.url}/console/sources/${sourceId}`)
    const variant = async (name: string): Promise<string> =>
      (await page.getByRole('button', { name }).getAttribute('data-variant')) ?? 'filled'
    expect([await variant('Sync now'), await variant('Reconnect Google Drive')]).toEqual([
      'default',
      'filled',
    ])
    await page.goBack()
    await row.getByRole('button', { name: 'Reconnect Google Drive' }).press('Enter')
    const notice = page.getByRole('status').filter({ hasText: 'Google Drive is connected again' })
    await notice.waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/sources/${sourceId}`)
    await notice.getByText('The sync has caught up.').waitFor()
    expect(await variant('Sync now')).toBe('filled')
    await expectNoFaultsInThemes(page, 'a source connected again')
    await page.setViewportSize({ width: 390, height: 800 })
    const tab = await page.getByRole('tab', { name: 'Permissions' }).boundingBox()
    expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(390)
    await openSynced(rig, page, sourceId)
    await alert.waitFor({ state: 'detached' })
    await close()
  })

  it('starts the first Slack sync with the channels chosen, not before', async () => {
    const { page, organization, close } = await visit('sources/new', { bypassCSP: true })
    const sourceId = await beginToConnect(rig, page, 'Slack')
    await page.getByRole('heading', { name: /^Choose the channels of / }).waitFor()
    await page.goto(`${rig.service.url}/console/sources/${sourceId}`)
    await page.getByText('After your choice').waitFor()
    expect(await page.getByRole('tab').count()).toBe(0)
    await expectNoFaultsInThemes(page, 'the choice of channels')
    for (const width of [360, 1280]) await expectFits(page, 'the choice of channels', width)
    expect(await page.getByRole('radio', { name: 'Only these channels' }).isChecked()).toBe(true)
    expect(await page.getByRole('button', { name: 'Save and sync' }).isDisabled()).toBe(true)
    const list = page.getByRole('list', { name: 'Channels' })
    const names = await list.getByRole('listitem').allInnerTexts()
    expect(names.length).toBeGreaterThan(1)
    const all = page.getByRole('checkbox', { name: `Select all ${names.length}`, exact: true })
    await all.press('Space')
    await page.getByText(`Select all ${names.length}`).waitFor()
    expect(await list.getByRole('checkbox', { checked: true }).count()).toBe(names.length)
    await all.press('Space')
    expect(await list.getByRole('checkbox', { checked: true }).count()).toBe(0)
    const [first = ''] = names[0]?.split('\n') ?? []
    await page.getByLabel('Search channels').fill(first)
    await list.getByRole('checkbox').first().press('Space')
    await page.getByRole('button', { name: 'Save and sync' }).press('Enter')
    await page.getByRole('button', { name: 'Save and sync' }).waitFor({ state: 'detached' })
    await openSynced(rig, page, sourceId)
    await chooseTab(page, 'Channels')
    expect(await page.getByRole('radio', { name: 'Only these channels' }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: 'All channels the bot is a member of' }).check()
    await page.getByRole('radio', { name: 'Only these channels' }).check()
    await chooseTab(page, 'Items')
    await page.getByRole('table', { name: 'Stored items' }).getByRole('row').nth(1).waitFor()
    const { body } = await rig.service.call('GET', '/v1/sources', { key: organization.adminKey })
    const source = body.sources.find(({ id }: { id: string }) => id === sourceId)
    expect(source.channelAllowlist).toHaveLength(1)
    const { body: listed } = await rig.service.call('GET', '/v1/sync-runs', { key: organization.adminKey })
    expect(listed.syncRuns).toMatchObject([{ connectorId: sourceId, itemsDeleted: 0 }])
    await close()
  })
})
