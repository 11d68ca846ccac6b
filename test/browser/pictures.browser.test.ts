import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { PEOPLE, QUESTION, settleCompany } from './support/company.ts'
import { expectSettled, startConsole } from './support/console.ts'

/** The output folder: `PICTURES=docs/pictures npm test -- --project browser pictures`. */
const folder = process.env.PICTURES ?? ''
const executablePath = inject('chromium')
/** The pictures that README and docs show, of the company that the canvas is judged by. */
it.skipIf(executablePath === null || folder === '')('the console can be drawn for its readers', async () => {
  await mkdir(folder, { recursive: true })
  const rig = await startConsole(executablePath ?? '')
  try {
    await settleCompany(rig, rig.organization)
    const { context, page } = await rig.open({ viewport: { width: 1280, height: 800 } })
    await rig.signIn(page, PEOPLE.owner)
    await shoot(page, 'home')
    await page.goto(`${rig.service.url}/console/ask`)
    await page.getByRole('textbox', { name: 'Question' }).fill(QUESTION)
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText(/^Cites \d+ passage/).waitFor()
    await shoot(page, 'ask')
    await page.goto(`${rig.service.url}/console/memory`)
    await page.locator('canvas').first().waitFor()
    // The layout settles on its own thread, and reports it nowhere.
    await page.waitForTimeout(8_000)
    await shoot(page, 'memory')
    expect(await readdir(folder)).toEqual(
      expect.arrayContaining(['console-home.png', 'console-ask.png', 'console-memory.png']),
    )
    await context.close()
  } finally {
    await rig.close()
  }
})

async function shoot(page: Page, name: string): Promise<void> {
  await expectSettled(page)
  const image = await page.screenshot({ path: join(folder, `console-${name}.png`) })
  expect(image.length).toBeGreaterThan(10_000)
}
