import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type ConsoleRig, expectSettled, startConsole } from './support/console.ts'

const executablePath = inject('chromium')

let rig: ConsoleRig

describe.skipIf(executablePath === null)('search parameters in the URL of a page', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
  })
  afterAll(() => rig.close())

  it.each([
    ['ask?q=plan&mode=search&kinds=7&from=yesterday&providers=fax', 'Search results'],
    ['ask?q=plan&after=5', 'Ask this question'],
    ['developers?tab=usage', 'API keys'],
    ['developers?tab=requests&day=today&status=bad', 'Request log'],
    ['evaluation?tab=runs', 'No runs yet'],
  ])('are ignored when they are invalid: %s', async (path, text) => {
    const { page, close } = await rig.openTab()
    await rig.signIn(page, (await rig.settle()).email)
    await page.goto(`${rig.service.url}/console/${path}`)
    await page.getByText(text, { exact: true }).first().waitFor({ timeout: 15_000 })
    await expectSettled(page)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByText('This page failed').count()).toBe(0)
    await close()
  })
})
