import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { PEOPLE, QUESTION, settleCompany } from './support/company.ts'
import { expectSettled, startConsole } from './support/console.ts'

/** The output folder: `PICTURES=docs/pictures npm test -- --project browser pictures`. */
const folder = process.env.PICTURES ?? ''
const executablePath = inject('chromium')
/** Letters stay sharp. */
const QUALITY = 0.82
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
      expect.arrayContaining(['console-home.webp', 'console-ask.webp', 'console-memory.webp']),
    )
    await context.close()
  } finally {
    await rig.close()
  }
})

async function shoot(page: Page, name: string): Promise<void> {
  await expectSettled(page)
  const image = await toWebp(page, await page.screenshot())
  expect(image.length).toBeGreaterThan(5_000)
  await writeFile(join(folder, `console-${name}.webp`), image)
}

/** A picture a third as large: the browser writes WebP itself, on a page without the console's content security policy. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage()
  const written: string = await blank.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    canvas.getContext('2d', { alpha: false }).drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${QUALITY})
  })()`)
  await blank.close()
  return Buffer.from(written.slice(written.indexOf(',') + 1), 'base64')
}
