import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { TestOrganization } from '../support/service.ts'
import { type ConsoleRig, expectNoFaults, expectSettled, startConsole } from './support/console.ts'

const MANY = 200
const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('many sources and many runs in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it('are found by name, provider and state, with filters in the URL, and are drawn in batches', async () => {
    const { organization, email } = await rig.settle()
    await connectMany(organization, MANY)
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'sources')
    // A test workspace already has four.
    await page.getByText(`${MANY + 4} sources`).waitFor()
    expect(await rows(page).count()).toBe(1 + 50)
    await page.getByRole('button', { name: `Show 50 more of ${MANY + 4}` }).click()
    await expect.poll(() => rows(page).count(), { timeout: 60_000 }).toBe(1 + 100)

    await page.getByRole('textbox', { name: 'Name' }).fill('inbox 17')
    // 17, 117, and 170 to 179.
    await page.getByText(`12 of ${MANY + 4}`).waitFor()
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Failing' }).click()
    await page.getByText(`1 of ${MANY + 4}`, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Inbox 170', exact: true }).waitFor()
    await expectNoFaults(page, 'sources that were searched')
    expect(new URL(page.url()).search).toBe('?q=inbox+17&state=error')

    await page.reload()
    await page.getByRole('link', { name: 'Inbox 170', exact: true }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('inbox 17')
    await page.getByRole('combobox', { name: 'Provider' }).click()
    await page.getByRole('option', { name: 'Slack' }).click()
    await page.getByText('No results').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText(`${MANY + 4} sources`).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await close()
  })

  it('appear without a search field when there are few', async () => {
    const { email } = await rig.settle()
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email, 'sources')
    await expectSettled(page)
    await expect.poll(() => rows(page).count()).toBe(1 + 4)
    expect(await page.getByRole('search').count()).toBe(0)
    await close()
  })

  it('that fail appear on Home, the first few by name, with a link to the others', async () => {
    const { organization, email } = await rig.settle()
    await connectMany(organization, MANY)
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email)
    const panel = page.getByRole('region', { name: 'Needs attention' })
    await panel.getByText('And 14 more concerns.').waitFor()
    expect(await panel.getByRole('listitem').count()).toBe(6)
    await panel.getByRole('link', { name: 'See all sources' }).click()
    await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor()
    await close()
  })

  it('of one source can be paged to the very first, whatever other sources have', async () => {
    const { organization, email } = await rig.settle()
    const [source, other] = await connectMany(organization, 2)
    await runsOf(organization, source ?? '', 60)
    await runsOf(organization, other ?? '', 600)
    const { page, close } = await rig.openTab()
    await rig.signIn(page, email, `sources/${source}?tab=history`)
    const runs = page.getByRole('table', { name: 'Runs' }).getByRole('row')
    await runs.nth(25).waitFor()
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 4_000)
          return await runs.count()
        },
        { timeout: 60_000 },
      )
      .toBe(1 + 60)
    await runs.last().getByText('full sync').waitFor()
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    await close()
  })
})

const rows = (page: Page) => page.getByRole('table', { name: 'Sources' }).getByRole('row')

/** Connected sources, of which every tenth fails. @returns their ids */
async function connectMany({ id: organizationId }: TestOrganization, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  const at = new Date()
  await rig.service.database.db
    .insertInto('sources')
    .values(
      ids.map((id, place) => ({
        organization_id: organizationId,
        id,
        provider: 'notion' as const,
        external_account_id: `account-${place}`,
        display_name: `Inbox ${place}`,
        status: place % 10 === 0 ? ('error' as const) : ('active' as const),
        error_message: place % 10 === 0 ? 'Its access has ended' : null,
        push_only: false,
        last_synced_at: at,
        created_at: new Date(at.getTime() + place),
        updated_at: at,
      })),
    )
    .execute()
  return ids
}

/** Ended runs of a source, the first of them a full crawl. */
async function runsOf(
  { id: organizationId }: TestOrganization,
  sourceId: string,
  count: number,
): Promise<void> {
  await sql`insert into sync_runs
      (organization_id, id, source_id, status, full_resync, started_at, finished_at, created_at)
    select ${organizationId}, gen_random_uuid(), ${sourceId}, 'succeeded', n = 1, at, at, at
    from (select n, now() - make_interval(mins => 15 * (${count}::int - n)) as at from generate_series(1, ${count}::int) n) run`.execute(
    rig.service.database.db,
  )
}
