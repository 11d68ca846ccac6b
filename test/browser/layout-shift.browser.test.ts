import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { PAGES } from '../../console/src/data/pages.ts'
import { type ConsoleRig, expectSettled, startConsole } from './support/console.ts'

const executablePath = inject('chromium')
const WIDTHS = [375, 1280]
/** Long enough for each panel to be seen as it is read. */
const DELAY_MS = 250
/** A fifth of what Web Vitals calls good. */
const SHIFT_MAX = 0.02
const OWNER = 'shift@example.com'

let rig: ConsoleRig

/** The canvas is drawn as one picture, so its page is opened with the table. */
const PATHS = [
  ...PAGES.map(({ path }) => (path === '/memory' ? 'memory?view=table' : path.slice(1))),
  'ask?mode=search&q=vacation',
  'sources/new',
  'sources/items',
  'memory?view=changes',
  'developers?tab=requests',
]

describe.skipIf(executablePath === null)('a page on its way', () => {
  beforeAll(async () => {
    rig = await startConsole(executablePath ?? '')
    await rig.join(OWNER, 'owner')
  })
  afterAll(() => rig.close())

  // Concurrently, because a page spends most of its time waiting for delayed responses.
  it(`moves nothing that is already there, at ${WIDTHS.join(' and ')} pixels`, async () => {
    const shifts = (await Promise.all(WIDTHS.map(shiftsAt))).flat()
    expect(shifts.filter(({ shift }) => shift > SHIFT_MAX)).toEqual([])
  })
})

/** How much each page shifts at this width. */
async function shiftsAt(width: number): Promise<{ path: string; width: number; shift: number }[]> {
  const { page, close } = await rig.openTab({ viewport: { width, height: 800 } })
  await rig.signIn(page, OWNER)
  await page.addInitScript(delayAnswers)
  await page.addInitScript(watchShifts)
  const shifts = []
  const { body } = await rig.service.call('GET', '/v1/api-keys', { key: rig.organization.adminKey })
  const ofKey = `developers/keys/${body.apiKeys[0].id}`
  for (const path of [...PATHS, ofKey, `sources/${rig.organization.sources.notion}`]) {
    await page.goto(`${rig.service.url}/console/${path}`)
    await expectSettled(page)
    await page.waitForLoadState('networkidle')
    shifts.push({ path, width, shift: await shiftOf(page) })
  }
  await close()
  return shifts
}

/** Delays what a page reads. On the page itself: a route would keep the browser from caching files. */
const delayAnswers = `
  const send = globalThis.fetch
  globalThis.fetch = async (...request) => {
    await new Promise((resolve) => setTimeout(resolve, ${DELAY_MS}))
    return send(...request)
  }`

/** Sums up, on the page, how far things move by themselves. */
const watchShifts = `
  globalThis.shift = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value
  }).observe({ type: 'layout-shift', buffered: true })`

const shiftOf = (page: Page): Promise<number> => page.evaluate('globalThis.shift')
