import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { sleepBriefly, startEmulators } from '../support/connected-service.ts'
import { PEOPLE, QUESTION, settleCompany } from './support/company.ts'
import { expectSettled, startConsole } from './support/console.ts'
import { chooseTab, openSynced } from './support/sources.ts'

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
    await page.getByText(/^(?:Cites|Quoted from) \d+ passage/).waitFor()
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

/** The steps of docs/tutorials/connect-slack.md, against the emulator. */
it.skipIf(executablePath === null || folder === '')(
  'connecting Slack can be drawn step by step',
  async () => {
    await mkdir(folder, { recursive: true })
    const emulators = await startEmulators({ slack: { seed: { channels: 6, memberChannels: 3 } } })
    const rig = await startConsole(executablePath ?? '', {
      environment: { ...emulators.environment, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
      sleep: sleepBriefly,
    })
    try {
      const { email } = await rig.settle()
      const channel = emulators.slack.state.channels().find(({ name }) => name === 'general')
      emulators.slack.state.post(channel?.id ?? '', { text: 'The door code is 4711' })
      const { context, page } = await rig.open({ viewport: { width: 960, height: 540 } })
      await rig.signIn(page, email, 'sources/new')
      await page.getByRole('button', { name: 'Connect Slack' }).waitFor()
      await shoot(page, 'slack-1-connect')
      await page.getByRole('button', { name: 'Connect Slack' }).click()
      await page.getByRole('heading', { name: /^Choose the channels of / }).waitFor()
      const id = new URL(page.url()).searchParams.get('connected') ?? ''
      const channels = page.getByRole('list', { name: 'Channels' })
      await channels.getByRole('checkbox', { name: /general/ }).check()
      await channels.scrollIntoViewIfNeeded()
      await shoot(page, 'slack-2-channels')
      await page.getByRole('button', { name: 'Save and sync' }).click()
      await page.getByRole('button', { name: 'Save and sync' }).waitFor({ state: 'detached' })
      await openSynced(rig, page, id)
      await chooseTab(page, 'Items')
      await page.getByRole('table', { name: 'Stored items' }).getByRole('row').nth(1).waitFor()
      await shoot(page, 'slack-3-synced')
      await page.goto(`${rig.service.url}/console/ask`)
      await page.getByRole('textbox', { name: 'Question' }).fill('What is the door code?')
      await page.getByRole('button', { name: 'Ask', exact: true }).click()
      await page.getByText(/^(?:Cites|Quoted from) \d+ passage/).waitFor()
      await shoot(page, 'slack-4-answer')
      expect((await readdir(folder)).filter((name) => name.includes('slack'))).toHaveLength(4)
      await context.close()
    } finally {
      await rig.close()
      await emulators.close()
    }
  },
)

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
