import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { canvasOf } from './support/canvas.ts'
import { documentOf, push } from '../support/documents.ts'
import { type ConsoleRig, expectNoFaults, expectSettled, startConsole } from './support/console.ts'

const MEMBER = 'mel@example.com'
const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('the memory in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
    await rig.join(MEMBER, 'member')
  })
  afterAll(() => rig.close())

  it('is drawn for a member, with a legend, and without a browser complaint', async () => {
    const { page, close } = await rig.openTab()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await rig.signIn(page, MEMBER, 'memory')
    await expectDrawn(page)
    expect(await page.getByRole('list', { name: 'Kinds' }).innerText()).toMatch(/People\s+\d/)
    expect(complaints).toEqual([])
    await close()
  })

  it('sorts its table by keyboard, announces the order, and keeps it in the URL', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, MEMBER, 'memory?view=table')
    const table = page.getByRole('table', { name: 'Names in the memory' })
    const names = (): Promise<string[]> => table.getByRole('row').locator('td:first-child').allInnerTexts()
    await table.getByRole('button', { name: 'Name', exact: true }).press('Enter')
    const header = table.getByRole('columnheader', { name: 'Name' })
    await expect.poll(() => header.getAttribute('aria-sort'), { timeout: 30_000 }).toBe('ascending')
    const ascending = await names()
    expect(ascending.length).toBeGreaterThan(2)
    expect(ascending).toEqual(ascending.toSorted(new Intl.Collator('en', { sensitivity: 'base' }).compare))
    await table.getByRole('button', { name: 'Name', exact: true }).press('Enter')
    await expect.poll(() => header.getAttribute('aria-sort'), { timeout: 30_000 }).toBe('descending')
    expect(await names()).toEqual(ascending.toReversed())
    expect(new URL(page.url()).searchParams.get('sort')).toBe('name')
    await expectNoFaults(page, 'the table')
    await close()
  })

  it('opens a node by keyboard and by URL, shows its mentions, and links to a search for it', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, MEMBER, 'memory?view=table')
    await page.getByRole('button', { name: 'Ada Lovelace', exact: true }).press('Enter')
    const node = page.getByRole('group', { name: 'The chosen name' })
    await node.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
    await expect
      .poll(() => node.evaluate((element) => element.matches(':focus')), { timeout: 30_000 })
      .toBe(true)
    const address = page.url()
    expect(new URL(address).searchParams.get('node')).not.toBeNull()
    await expectNoFaults(page, 'a chosen name')
    await page.goto(address.replace('view=table&', ''))
    await node
      .getByRole('region', { name: 'Items' })
      .getByRole('link', { name: /Vacation/ })
      .waitFor()
    await node.getByRole('button', { name: 'Show related names only' }).press('Enter')
    await node.getByRole('button', { name: 'Show all names' }).waitFor()
    await node.getByRole('link', { name: 'Search these items' }).press('Enter')
    await page.getByText('Naming Ada Lovelace').waitFor()
    await page.getByRole('textbox', { name: 'Question' }).fill('days off')
    await page.getByRole('textbox', { name: 'Question' }).press('Enter')
    const results = page.getByRole('region', { name: 'Search results' })
    await results.getByRole('button', { name: 'Vacation' }).waitFor()
    expect(await results.getByRole('button', { name: 'Expenses' }).count()).toBe(0)
    await close()
  })

  it('opens the items that name a person, as many as its panel says, filtered by the person', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.join('olga@example.com', 'owner')
    await rig.signIn(page, 'olga@example.com', 'memory?view=table')
    await page.getByRole('button', { name: 'Ada Lovelace', exact: true }).press('Enter')
    await page.getByRole('link', { name: 'Show 2 items' }).press('Enter')
    await page.getByText('Naming Ada Lovelace').waitFor()
    const items = page.getByRole('table', { name: 'Stored items' })
    await items.getByText('On call').waitFor()
    expect(await items.getByRole('row').count()).toBe(3)
    expect(await items.getByText('Expenses').count()).toBe(0)
    await expectNoFaults(page, 'the items of a person')
    await page.getByRole('button', { name: 'Remove the filter' }).press('Enter')
    await items.getByText('Expenses').waitFor()
    await close()
  })

  it('gives screen readers a table instead of the picture, visible on focus', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, MEMBER, 'memory')
    await expectDrawn(page)
    const name = page.getByRole('table').getByRole('button', { name: 'Ada Lovelace', exact: true })
    expect(await page.getByRole('table').getByRole('row').count()).toBeGreaterThan(3)
    await name.focus()
    expect((await page.getByRole('table').boundingBox())?.height).toBeGreaterThan(100)
    await expectNoFaults(page, "the table in the picture's place")
    await close()
  })

  it('finds and filters by its URL, and says when nothing matches', async () => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, MEMBER, 'memory?view=table&type=person')
    await page.getByRole('button', { name: 'Grace Hopper', exact: true }).waitFor()
    expect(await page.getByRole('table').getByText('Organization').count()).toBe(0)
    await page.getByRole('textbox', { name: 'Find in the memory' }).fill('Lovelace')
    await page.getByRole('button', { name: 'Grace Hopper', exact: true }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('q')).toBe('Lovelace')
    for (const nothing of ['provider=gmail', 'q=zzzzz']) {
      await page.goto(`${rig.service.url}/console/memory?${nothing}`)
      await page.getByText('No results').waitFor()
    }
    await page.getByRole('button', { name: 'Show the whole memory' }).click()
    await expectDrawn(page)
    expect(new URL(page.url()).search).toBe('')
    // A name that no link can have.
    await page.goto(`${rig.service.url}/console/memory?node=junk`)
    await expectDrawn(page)
    expect(await page.getByRole('group', { name: 'The chosen name' }).count()).toBe(0)
    await close()
  })

  it('shows the names beside a name that it finds within the filters', async () => {
    const { organization, email } = await rig.settle()
    const said = { notion: 'Project Orion', slack: 'Payroll Engine' } as const
    const documents = (['notion', 'slack'] as const).flatMap((provider) =>
      [1, 2].map((at) =>
        documentOf(organization, {
          provider,
          externalId: `${provider}-${at}`,
          title: 'x',
          body: `Ada Lovelace <ada@acme.example> says that ${said[provider]} is done.`,
        }),
      ),
    )
    await push(rig.service, organization, ...documents)
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email, 'memory?view=table&q=Lovelace&provider=slack')
    const table = page.getByRole('table', { name: 'Names in the memory' })
    await table.getByText('Payroll Engine').waitFor()
    expect(await table.getByText('Project Orion').count()).toBe(0)
    await page.goto(`${rig.service.url}/console/memory?view=table&q=Lovelace&type=person`)
    await table.getByText('Ada Lovelace').waitFor()
    await expectSettled(page)
    expect(await table.getByText('Payroll Engine').count()).toBe(0)
    await close()
  })

  it('draws five hundred names, says that more wait, and escapes their labels', async () => {
    const { page, close } = await rig.openTab({ colorScheme: 'dark' })
    const canvas = canvasOf(500)
    const [first] = canvas.nodes
    if (first) first.label = '<img src=x onerror="window.injected=1">'
    await page.route('**/v1/console/memory-canvas?*', (route) =>
      route.fulfill({ json: { ...canvas, complete: false, itemsWaiting: 1_200 } }),
    )
    await rig.signIn(page, MEMBER, 'memory')
    await expectDrawn(page)
    await page.getByText('Not complete yet: 1,200 items wait to be read.').waitFor()
    await page.getByText('The 500 most frequent names.').waitFor()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false)
    await close()
  })

  it('lists a large import of one day in pages, loaded by button', async () => {
    const { organization, email } = await rig.settle()
    const documents = Array.from({ length: 60 }, (_, at) =>
      documentOf(organization, { externalId: `page-${at}`, title: `Page ${at}` }),
    )
    await push(rig.service, organization, ...documents)
    const { page, close } = await rig.openTab()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await rig.signIn(page, email, 'memory?view=changes')
    const changes = page.getByRole('list', { name: 'What changed' })
    await changes.getByText('50+ items').waitFor()
    await expectSettled(page)
    expect(asked.filter((path) => path === '/v1/console/items')).toHaveLength(1)
    await page.getByRole('button', { name: 'Show more', exact: true }).click()
    await changes.getByText('60 items').waitFor()
    await close()
  })

  it('can be used at 360 pixels', async () => {
    const { page, close } = await rig.openTab({ viewport: { width: 360, height: 740 }, bypassCSP: true })
    await rig.signIn(page, MEMBER, 'memory?view=table')
    await page.getByRole('button', { name: 'Ada Lovelace', exact: true }).press('Enter')
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
    expect(await page.locator('html').evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(360)
    await expectNoFaults(page, 'a chosen name at 360 pixels')
    await close()
  })
})

async function expectDrawn(page: Page): Promise<void> {
  await page.locator('[data-ready="true"] canvas').first().waitFor()
}
