import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import {
  type ConsoleRig,
  expectFits,
  expectNoFaults,
  expectNoFaultsInThemes,
  expectSettled,
  type Settled,
  startConsole,
} from './support/console.ts'

const executablePath = inject('chromium')
const WIDTHS = [360, 768, 1440, 2560]
const CSV = [
  'question,page,fact',
  'How many vacation days do I get?,Vacation,25 days',
  'Who keeps the on-call schedule?,On call,',
  'Who approves travel?,Nowhere,',
].join('\n')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('the evaluation in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  /** An admin in a workspace with two pages of a handbook. */
  async function settleHandbook(): Promise<Settled> {
    const settled = await rig.settle('admin')
    const pages = {
      Vacation: 'Employees accrue 25 days of paid vacation a year.',
      'On call': 'Ada keeps the on-call schedule.',
    }
    const documents = Object.entries(pages).map(([title, body]) =>
      documentOf(settled.organization, { externalId: title, title, body }),
    )
    const { status, text } = await push(rig.service, settled.organization, ...documents)
    if (status !== 200) throw new Error(text)
    return settled
  }

  const importCsv = (page: Page, text: string): Promise<void> =>
    page
      .getByLabel('CSV file with questions')
      .setInputFiles({ name: 'questions.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

  /** A page without faults that fits every width, in both themes. Leaves it wide and dark. */
  async function expectGood(page: Page, where: string): Promise<void> {
    for (const width of WIDTHS) {
      await expectFits(page, where, width)
      await expectNoFaults(page, `${where} at ${width} pixels`)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await expectNoFaultsInThemes(page, where)
  }

  it('measures imported questions, compares runs, and shows an answer with what it cites [CON-23]', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, (await settleHandbook()).email, 'evaluation')
    await page.getByText('No runs yet').waitFor()
    await expectNoFaults(page, 'no runs')
    await page.getByRole('link', { name: 'Go to questions' }).click()
    await importCsv(page, 'question,page\nno page,\n')
    await page.getByText('line 2: neither a page nor a fact').waitFor()
    await page.keyboard.press('Escape')
    await importCsv(page, CSV)
    await page.getByText('3 questions added, 0 replaced.').waitFor()
    await page.keyboard.press('Escape')
    await expectGood(page, 'the questions')
    await page.getByText('A run of 3 questions costs 6 credits.').waitFor()
    let started = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/evaluation/runs')) started++
    })
    await page.getByRole('button', { name: 'Start a run' }).dblclick()
    const table = page.getByRole('table', { name: 'Results' })
    const rowOf = (question: string) => table.getByRole('row').filter({ hasText: question })
    await rowOf('Who approves travel?').getByText('Not found').waitFor()
    await rowOf('How many vacation days').getByText('In the answer').waitFor()
    await expectGood(page, 'a run')
    expect(started).toBe(1)

    await page.getByRole('tab', { name: 'Questions' }).click()
    await page.getByRole('button', { name: 'Actions for Who approves travel?' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('combobox', { name: 'Page' }).fill('Expenses')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Start a run' }).click()
    await rowOf('Who approves travel?').getByText('New').waitFor()
    await rowOf('How many vacation days').getByText('Same').waitFor()
    await page.getByRole('button', { name: /^See answer: How many vacation days/ }).click()
    const dialog = page.getByRole('dialog', { name: /^How many vacation days/ })
    await dialog.getByText(/25 days of paid vacation/).waitFor()
    await dialog.getByRole('link', { name: 'Vacation' }).waitFor()
    await expectNoFaults(page, 'an answer')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Delete this run' }).click()
    await page.getByRole('button', { name: 'Delete run' }).click()
    await rowOf('Who approves travel?').getByText('Not found').waitFor()
    await close()
  })

  it('stops a run and continues it later, measuring each question once', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { organization, email } = await settleHandbook()
    await rig.signIn(page, email, 'evaluation?tab=questions')
    await expectSettled(page)
    await importCsv(page, CSV)
    await page.getByText('3 questions added').waitFor()
    await page.keyboard.press('Escape')
    let asked = 0
    await page.route('**/v1/console/ask', async (route) => {
      asked += 1
      if (asked === 2) await route.abort()
      else await route.continue()
    })
    await page.getByRole('button', { name: 'Start a run' }).click()
    await page.getByText('The service is unreachable').waitFor()
    await page.getByText('1 of 3 questions measured').waitFor()
    await expectNoFaultsInThemes(page, 'an interrupted run')
    await expectFits(page, 'an interrupted run', 360)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('questions measured').waitFor({ state: 'detached' })
    expect(asked).toBe(4)
    const { status, body } = await rig.service.call('GET', '/v1/audit-events?limit=100', {
      key: organization.adminKey,
    })
    const actions = body.auditEvents.map(({ action }: { action: string }) => action)
    expect([status, actions.filter((one: string) => one === 'evaluation_run.update')]).toEqual([
      200,
      Array.from({ length: 3 }, () => 'evaluation_run.update'),
    ])
    await close()
  })

  it('suggests titles for the expected page by keyboard, and warns of a page that no item has', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { organization, email } = await settleHandbook()
    await rig.signIn(page, email, 'evaluation?tab=questions')
    await page.getByRole('button', { name: 'Add a question' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Add a question' })
    await dialog.getByRole('textbox', { name: 'Question' }).fill('Who is on call?')
    const field = dialog.getByRole('combobox', { name: 'Page' })
    const warning = dialog.getByText(/^No item that you may read/)
    await field.pressSequentially('Holidays')
    await warning.waitFor()
    await expectGood(page, 'an unknown page')
    const { body } = await rig.service.call('GET', '/v1/source-items?title=on%20call', {
      key: organization.adminKey,
    })
    await field.fill('00000000-0000-4000-8000-000000000000')
    await dialog.getByText('No item that you may read has this ID.').waitFor()
    await field.fill(body.sourceItems[0].id)
    await warning.waitFor({ state: 'detached' })
    await field.fill('')
    await field.pressSequentially('ON C')
    const option = page.getByRole('option', { name: 'On call' })
    await option.waitFor()
    expect(await warning.count()).toBe(0)
    await expectNoFaultsInThemes(page, 'suggested titles')
    await field.press('Escape')
    await option.waitFor({ state: 'hidden' })
    expect(await dialog.isVisible()).toBe(true)
    await warning.waitFor()
    await field.press('ArrowDown')
    await field.press('ArrowDown')
    await field.press('Enter')
    expect(await field.inputValue()).toBe('On call')
    await warning.waitFor({ state: 'detached' })
    await field.fill('Not written yet')
    await warning.waitFor()
    await dialog.getByRole('button', { name: 'Add question' }).press('Enter')
    await page.getByRole('table', { name: 'Questions' }).getByText('Page: Not written yet').waitFor()
    await close()
  })

  it("adds a member's rated question, for an admin to complete [CON-25]", async () => {
    const { organization, email } = await rig.settle('member')
    await rig.join('reviewer@example.com', 'admin', organization.id)
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, email, 'ask')
    await page.getByRole('textbox', { name: 'Question' }).fill('How many vacation days do I get?')
    await page.keyboard.press('Enter')
    const added = page.getByText('Added. Admins see the question and the rating.')
    await page.getByRole('button', { name: 'Missing source' }).click()
    await page.getByRole('button', { name: 'Add to evaluation' }).click()
    await added.waitFor()
    // Admins do not see another rating before it is added too.
    await page.getByRole('button', { name: 'Wrong' }).click()
    await page.getByRole('button', { name: 'Add to evaluation' }).click()
    await added.waitFor()
    await expectNoFaults(page, 'an added question')
    await close()
    const admin = await rig.openTab({ bypassCSP: true })
    await rig.signIn(admin.page, 'reviewer@example.com', 'evaluation?tab=questions')
    await admin.page.getByText('Rated wrong').waitFor()
    await admin.page.getByText('Needs a page or a fact').waitFor()
    expect(await admin.page.getByRole('button', { name: 'Start a run' }).isDisabled()).toBe(true)
    await admin.close()
  })
})
