import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ConsoleRig, expectNoFaults, expectNoFaultsInThemes, startConsole } from './support/console.ts'

const READER = 'mel@example.com'
const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('citations in a browser', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
    await rig.join(READER, 'member')
  })
  afterAll(() => rig.close())

  it('numbers citations in the order in which the answer mentions them, marks what a marker cites, and pages by marker', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    const { body } = await rig.service.call('GET', '/v1/source-items?title=Vacation', {
      key: rig.organization.adminKey,
    })
    const { id } = body.sourceItems[0]
    const at = '2026-03-02T09:30:00.000Z'
    const citations = ['Vacation', 'Expenses', 'On call [2]'].map((title, place) => ({
      index: place + 1,
      sourceItemId: id,
      title,
    }))
    const answer =
      'Pages first. [3] Then receipts. [2] Pages again. [3] Unused days expire in March. [1] Employees accrue 25 days. [1]'
    const turn = { id, question: 'What?', answer, citations, feedback: null, withheld: false, createdAt: at }
    const thread = { id, title: 'What?', turnCount: 1, createdAt: at, updatedAt: at }
    await page.route(`**/v1/console/threads/${id}`, (route) =>
      route.fulfill({ json: { thread, turns: [turn] } }),
    )
    await rig.signIn(page, READER, `ask?thread=${id}`)
    await page.getByText('Pages first.').waitFor()
    const markers = page.getByRole('button', { name: /^Source \d/ })
    const labels = await markers.evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label')),
    )
    const [first, second, third] = ['Source 1: On call [2]', 'Source 2: Expenses', 'Source 3: Vacation']
    // The markers of the answer, then those of its list of sources. The number in a title is none.
    expect(labels).toEqual([first, second, first, third, third, first, second, third])
    const marked = async (marker: number): Promise<string[]> => {
      await markers.nth(marker).press('Enter')
      await page.getByRole('dialog').locator('mark').first().waitFor()
      const texts = await page.getByRole('dialog').locator('mark').allInnerTexts()
      await page.getByRole('button', { name: 'Close the source' }).press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      return texts
    }
    const [expire, accrue] = [
      'Unused days expire in March.',
      'Employees accrue 25 days of paid time off per year.',
    ]
    expect(await marked(3)).toEqual([expire])
    expect(await marked(4)).toEqual([accrue])
    expect(await marked(7)).toEqual([accrue, expire])
    await markers.first().press('Enter')
    const panel = page.getByRole('dialog')
    const next = panel.getByRole('button', { name: 'Next citation' })
    await panel.getByText('[1] · 1 of 5').waitFor()
    for (const place of ['[2] · 2 of 5', '[1] · 3 of 5', '[3] · 4 of 5']) {
      await next.press('Enter')
      await panel.getByText(place).waitFor()
    }
    await panel.locator('mark').getByText(expire).waitFor()
    await page.keyboard.press('ArrowRight')
    await panel.getByText('[3] · 5 of 5').waitFor()
    await panel.locator('mark').getByText(accrue).waitFor()
    expect(await panel.locator('mark').allInnerTexts()).toEqual([accrue])
    await expectNoFaults(page, 'the last citation')
    await page.setViewportSize({ width: 390, height: 800 })
    const tops = await Promise.all(
      [next, panel.getByRole('button', { name: 'Copy link' })].map(async (one) => {
        const box = await one.boundingBox()
        return (box?.y ?? 0) + (box?.height ?? 0) / 2
      }),
    )
    expect(Math.abs((tops[0] ?? 0) - (tops[1] ?? 100))).toBeLessThan(2)
    await expectNoFaults(page, 'a citation on a phone')
    await close()
  })

  it('moves between citations by keyboard', async () => {
    const { page, close } = await rig.openTab({ bypassCSP: true })
    await rig.signIn(page, READER, 'ask?mode=search&q=travel%20pages')
    const results = page.getByRole('region', { name: 'Search results' })
    await results.getByRole('button').first().waitFor()
    await expectNoFaultsInThemes(page, 'results')
    await results.getByRole('button').first().press('Enter')
    const panel = page.getByRole('dialog')
    await panel.getByText(/^1 of \d/).waitFor()
    await panel.locator('mark').first().waitFor()
    await panel.getByRole('button', { name: 'Next result' }).press('Enter')
    await panel.getByText(/^2 of \d/).waitFor()
    await expectNoFaults(page, 'the second result')
    await panel.getByRole('button', { name: 'Previous result' }).press('Enter')
    await panel.getByText(/^1 of \d/).waitFor()
    await page.keyboard.press('ArrowRight')
    await panel.getByText(/^2 of \d/).waitFor()
    await page.keyboard.press('ArrowLeft')
    await panel.getByText(/^1 of \d/).waitFor()
    await close()
  })
})
