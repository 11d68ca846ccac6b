import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import type { TestOrganization } from '../support/service.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectNoFaultsInThemes,
  expectSettled,
  startConsole,
} from './support/console.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig

/** An owner of a separate workspace with these documents, at one of its pages. */
async function visit(
  path: string,
  documents: Parameters<typeof documentOf>[1][],
): Promise<{ page: Page; organization: TestOrganization; close(): Promise<void> }> {
  const { organization, email } = await rig.settle()
  const stored = documents.map((document) => documentOf(organization, document))
  expect((await push(rig.service, organization, ...stored)).status).toBe(200)
  const { page, close } = await rig.openTab({ bypassCSP: true })
  await rig.signIn(page, email, path)
  return { page, organization, close }
}

const items = (page: Page) => page.getByRole('table', { name: 'Stored items' })
const titles = async (page: Page): Promise<string[]> =>
  (await items(page).getByRole('cell').getByRole('button').allInnerTexts())
    .filter((text) => text !== '')
    .toSorted()

describe.skipIf(executablePath === null)('stored items in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(async () => {
    await rig.close()
  })

  it('finds items by their text, filters them, and keeps both in the URL', async () => {
    const { page, close } = await visit('sources/items', [
      { externalId: '1', title: 'Holidays', body: 'Unused vacation expires.' },
      { externalId: '2', title: 'Chat', body: 'Who takes vacation?', sourceKind: 'message' },
      { externalId: '3', title: 'Other', sourceUpdatedAt: '2024-05-05T12:00:00Z' },
      {
        externalId: 'a/b.md',
        title: 'A file',
        metadata: { path: 'a/b.md', folder: 'a', fileType: 'markdown' },
      },
    ])
    await page.getByText('4 items').waitFor()
    await page.getByRole('textbox', { name: 'Search title and text' }).fill('VACATION')
    await page.getByText('2 found').waitFor()
    expect(await titles(page)).toEqual(['Chat', 'Holidays'])
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Messages' }).click()
    await page.getByText('1 found').waitFor()
    await page.reload()
    await page.getByText('1 found').waitFor()
    expect(await titles(page)).toEqual(['Chat'])
    const clear = page.getByRole('button', { name: 'Clear filters' })
    await clear.click()
    await page.getByText('4 items').waitFor()
    expect(await clear.count()).toBe(0)
    await page.getByLabel('Changed to').fill('2024-12-31')
    await page.getByText('1 item', { exact: true }).waitFor()
    expect(await titles(page)).toEqual(['Other'])
    await page.goto(`${rig.service.url}/console/sources/items?provider=files`)
    await page.getByText('1 item', { exact: true }).waitFor()
    expect(await titles(page)).toEqual(['A file'])
    // It is stored under Notion.
    expect(await items(page).getByRole('cell', { name: 'File', exact: true }).count()).toBe(1)
    await close()
  })

  it('says that the item of a link was deleted', async () => {
    const { page, close } = await visit(`sources/items?item=${randomUUID()}`, [{ externalId: '1' }])
    const drawer = page.getByRole('dialog')
    await drawer.getByText('This item is no longer available').waitFor()
    expect(await drawer.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await close()
  })

  it('shows the author and the date of the source, and sorts by that date both ways', async () => {
    const { page, organization, close } = await visit('sources/items?connected=another-page', [
      {
        externalId: '2',
        title: 'Second',
        authorName: 'Ada Lovelace',
        sourceUpdatedAt: '2025-05-05T12:00:00Z',
      },
    ])
    const earlier = { externalId: '1', title: 'First', sourceUpdatedAt: '2024-05-05T12:00:00Z' }
    expect((await push(rig.service, organization, documentOf(organization, earlier))).status).toBe(200)
    await page.reload()
    const first = items(page).getByRole('row').nth(1)
    const header = items(page).getByRole('columnheader', { name: 'Changed' })
    await first.getByRole('cell', { name: 'Ada Lovelace', exact: true }).waitFor()
    expect(await first.locator('time').getAttribute('datetime')).toBe('2025-05-05T12:00:00.000Z')
    // A parameter of another page is no filter.
    expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0)
    await first.getByText('Second').waitFor()
    expect(await header.getAttribute('aria-sort')).toBe('descending')
    await header.getByRole('button').press('Enter')
    await first.getByText('First').waitFor()
    await page.reload()
    await first.getByText('First').waitFor()
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: 'Changed' }).click()
    await first.getByText('Second').waitFor()
    await close()
  })

  it('shows the creation date of an item whose source has no date of change, in the list and in its text', async () => {
    const written = '2023-05-05T12:00:00.000Z'
    const { page, close } = await visit('sources/items', [
      { externalId: '1', title: 'Note', sourceCreatedAt: written },
    ])
    const row = items(page).getByRole('row').nth(1)
    expect(await row.locator('time').getAttribute('datetime')).toBe(written)
    await row.getByRole('button', { name: 'Note', exact: true }).click()
    const text = page.getByRole('dialog', { name: 'Note' })
    await text.getByText(/^written /).waitFor()
    expect(await text.locator('time').first().getAttribute('datetime')).toBe(written)
    await close()
  })

  it('deletes selected items by keyboard after typed confirmation, and says how many', async () => {
    const { page, organization, close } = await visit(
      'sources/items',
      ['One', 'Two', 'Three'].map((title, at) => ({ externalId: String(at), title })),
    )
    const boxes = page.getByRole('checkbox', { name: /^Select (?:One|Two|Three)$/ })
    await boxes.first().press('Space')
    await boxes.last().click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select Two' }).press('Space')
    await page.getByRole('button', { name: 'Delete 2' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Delete 2 items?' })
    expect(await dialog.getByRole('button', { name: 'Delete items' }).isDisabled()).toBe(true)
    await expectNoFaults(page, 'the confirmation')
    await dialog.getByRole('textbox').fill('delete 2 items')
    await dialog.getByRole('textbox').press('Enter')
    await page.getByText('2 items deleted.').waitFor()
    expect(await titles(page)).toEqual(['Two'])
    await page.getByText('1 item', { exact: true }).waitFor()
    const { body } = await rig.service.call('GET', '/v1/source-items', { key: organization.adminKey })
    expect(body.sourceItems.map(({ title }: { title: string }) => title)).toEqual(['Two'])
    await close()
  })

  it('says that an item was deleted, from its row and from its text, also when it was the last one', async () => {
    const { page, close } = await visit(
      'sources/items',
      ['One', 'Two', 'Three'].map((title, at) => ({ externalId: String(at), title })),
    )
    const confirm = () =>
      page
        .getByRole('dialog', { name: 'Delete this item?' })
        .getByRole('button', { name: 'Delete item' })
        .click()
    const deleteByRow = async (title: string) => {
      await page.getByRole('button', { name: `Actions for ${title}` }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await confirm()
    }
    await deleteByRow('One')
    const note = page.getByRole('status').filter({ hasText: '1 item deleted.' })
    await note.waitFor()
    await page.getByRole('checkbox', { name: 'Select Two' }).check()
    await note.waitFor({ state: 'detached' })
    await items(page).getByRole('button', { name: 'Two', exact: true }).click()
    await page.getByRole('button', { name: 'Delete this item' }).click()
    await confirm()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await note.waitFor()
    await expectNoFaults(page, 'a deleted item')
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    await note.waitFor({ state: 'detached' })
    await deleteByRow('Three')
    await page.getByText('Nothing is stored yet').waitFor()
    await note.waitFor()
    await expectNoFaults(page, 'no items left')
    await close()
  })

  it('shows a chat with its authors, a mail with its headers, and all chunks of an item', async () => {
    const sections = Array.from(
      { length: 60 },
      (_, at) => `## Part ${at}\n\n${`Sentence ${at}. `.repeat(60)}`,
    )
    const { page, close } = await visit('sources/items', [
      {
        externalId: 'chat',
        title: 'A chat',
        sourceKind: 'message',
        body: 'Ada: Who is on call?\nGrace: I am, until Friday.',
        metadata: { senders: ['Ada', 'Grace'] },
      },
      {
        externalId: 'mail',
        title: 'A mail',
        sourceKind: 'message',
        authorName: 'Ada Lovelace',
        metadata: {
          senderEmail: 'ada@example.com',
          recipients: ['grace@example.com', 'x@example.com'],
          namedRecipients: ['Grace <grace@example.com>'],
          attachments: ['plan.pdf'],
        },
      },
      { externalId: 'long', title: 'A long one', body: sections.join('\n\n') },
    ])
    const open = async (title: string) => {
      await items(page).getByRole('button', { name: title, exact: true }).click()
      const drawer = page.getByRole('dialog', { name: title })
      await drawer.getByText('Every member of this workspace').waitFor()
      return drawer
    }
    const shut = () => page.getByRole('button', { name: 'Close the item' }).click()
    const chat = await open('A chat')
    expect(await chat.locator('p > strong').allInnerTexts()).toEqual(['Ada:', 'Grace:'])
    await expectNoFaults(page, 'a chat')
    await shut()
    const mail = await open('A mail')
    await mail.getByText('Ada Lovelace <ada@example.com>').waitFor()
    await mail.getByText('Grace <grace@example.com>, x@example.com').waitFor()
    await mail.getByText('plan.pdf').first().waitFor()
    await expectNoFaults(page, 'a mail')
    await shut()
    const long = await open('A long one')
    await long.getByText('Chunks', { exact: true }).press('Enter')
    const chunks = long.getByRole('list', { name: 'Chunks' }).locator('> li')
    await chunks.first().waitFor()
    expect(await chunks.count()).toBe(50)
    await long.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => chunks.count()).toBeGreaterThan(50)
    await expectNoFaults(page, 'chunks')
    for (const width of [390, 1024]) await expectFits(page, 'an item', width)
    await close()
  })

  it('says that every member reads an item without a policy while permissions are off, and what enforcing them changes', async () => {
    const { page, close } = await visit('sources/items', [{ externalId: '1', title: 'Handbook' }])
    await items(page).getByRole('button', { name: 'Handbook', exact: true }).click()
    const readers = page.getByRole('region', { name: 'Readers' })
    await readers.getByText('Every member of this workspace: permissions are off.').waitFor()
    await readers.getByText('On behalf of a person, and once permissions are enforced:').waitFor()
    await readers.getByText('Nobody: it has no access policy that names anybody.').waitFor()
    await expectNoFaultsInThemes(page, 'the readers of an item')
    await readers.getByRole('link', { name: 'permissions are enforced' }).click()
    await page.getByRole('switch', { name: 'Enforce permissions' }).waitFor({ state: 'attached' })
    await close()
  })

  it('opens the text of a new file for a member, who sees it as a file whatever its provider', async () => {
    const { organization, email } = await rig.settle('member')
    const file = documentOf(organization, {
      title: 'Price list',
      body: 'A seat costs 12 euros.',
      metadata: { path: 'price-list.md', folder: '', fileType: 'markdown' },
    })
    expect((await push(rig.service, organization, { ...file, url: null })).status).toBe(200)
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email)
    const row = page.getByRole('table', { name: 'New items' }).getByRole('row', { name: /Price list/ })
    await row.getByText('File', { exact: true }).waitFor()
    await row.getByRole('link', { name: 'Price list' }).click()
    await page.getByRole('dialog', { name: 'Price list' }).getByText('A seat costs 12 euros.').waitFor()
    await close()
  })

  it('lists what a source could not read, with the reason', async () => {
    const { page, organization, close } = await visit('sources/items', [{ externalId: '1', title: 'One' }])
    const { db } = rig.service.database
    const run = { organization_id: organization.id, id: randomUUID() }
    const at = new Date()
    const source_id = organization.sources.notion
    await db
      .insertInto('sync_runs')
      .values({ ...run, source_id, status: 'succeeded', full_resync: false, created_at: at })
      .execute()
    await db
      .insertInto('sync_run_failures')
      .values({
        organization_id: run.organization_id,
        run_id: run.id,
        external_id: 'plan_'.repeat(30),
        title: 'Plan.pdf',
        message: 'The file is larger than 25 MiB and is not read',
        created_at: at,
      })
      .execute()
    await db
      .updateTable('sources')
      .set({ push_only: false, external_account_id: 'T1', items_skipped: 1 })
      .where('id', '=', source_id)
      .execute()
    await page.goto(`${rig.service.url}/console/sources`)
    await page.getByRole('link', { name: '1 skipped' }).click()
    const skipped = page.getByRole('table', { name: 'Skipped items' })
    await skipped.getByText('Plan.pdf').waitFor()
    await skipped.getByText('The file is larger than 25 MiB and is not read').waitFor()
    for (const width of [390, 1024, 1280]) await expectFits(page, 'skipped items', width)
    await expectNoFaults(page, 'skipped items')
    await close()
  })

  it('passes axe and fits phones and tablets with filters and a selection', async () => {
    const { page, close } = await visit('sources/items?q=vacation&access=nobody&from=2024-01-01', [
      { externalId: '1', title: 'Vacation '.repeat(12).trim() },
      { externalId: '2', title: 'vacation_'.repeat(30) },
    ])
    await expectSettled(page)
    await page.getByRole('checkbox', { name: /^Select all/ }).check()
    for (const width of [360, 768, 1024, 1280]) await expectFits(page, 'items', width)
    await expectNoFaults(page, 'items')
    await page.setViewportSize({ width: 390, height: 800 })
    await expectNoFaultsInThemes(page, 'items on a phone')
    await close()
  })
})
