import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { canvasOf } from './support/canvas.ts'
import { startConsole } from './support/console.ts'

/**
 * `FRAMES=1 npm test -- --project browser canvas-frames` measures the figures for docs/reference/console.md; nothing
 * depends on them.
 */
const isAsked = process.env.FRAMES === '1'
const executablePath = inject('chromium')
const MEMBER = 'mel@example.com'
/** The service's maximum. */
const NAMES = 500
const LINKS = 5
const STEPS = 90
const ROUNDS = 5

it.skipIf(executablePath === null || !isAsked)('the memory canvas is measured while it moves', async () => {
  const rig = await startConsole(executablePath ?? '')
  try {
    await rig.join(MEMBER, 'member')
    const { context, page } = await rig.open({ viewport: { width: 1440, height: 900 } })
    const canvas = canvasOf(NAMES, LINKS)
    await page.route('**/v1/console/memory-canvas?*', (route) => route.fulfill({ json: canvas }))
    await rig.signIn(page, MEMBER)
    const began = performance.now()
    await page.goto(`${rig.service.url}/console/memory`)
    await page.locator('[data-ready="true"] canvas').first().waitFor()
    const drawnMs = performance.now() - began
    const figures = {
      names: NAMES,
      edges: canvas.edges.length,
      drawnMs: Math.round(drawnMs),
      panned: await medianOf(() => framesDuring(page, () => drag(page))),
      zoomed: await medianOf(() => framesDuring(page, () => wheel(page))),
      hovered: await medianOf(() => framesDuring(page, () => hover(page))),
    }
    console.error(JSON.stringify(figures))
    expect(figures.panned.frames).toBeGreaterThan(0)
    await context.close()
  } finally {
    await rig.close()
  }
})

/** The median round by frames per second: the load of the machine varies. */
async function medianOf(measure: () => Promise<Frames>): Promise<Frames> {
  const rounds: Frames[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure())
  const sorted = rounds.toSorted((one, other) => one.perSecond - other.perSecond)
  const [median] = sorted.slice(Math.floor(ROUNDS / 2))
  if (median === undefined) throw new Error('no round was measured')
  return median
}

interface Frames {
  frames: number
  perSecond: number
  /** The longest and the twentieth longest of a hundred frame times. */
  longestMs: number
  p80Ms: number
  /** Processor time of the page's own thread per frame, which a graphics card does not reduce. */
  ownMs: number
}

/** Frame times by the page's own clock while `act` runs. */
async function framesDuring(page: Page, act: () => Promise<void>): Promise<Frames> {
  await page.waitForTimeout(1_000)
  await page.evaluate(`globalThis.frameTimes = [];
    const tick = (at) => { frameTimes.push(at); if (frameTimes.length < 1e5) globalThis.frame = requestAnimationFrame(tick) };
    globalThis.frame = requestAnimationFrame(tick)`)
  const readOwnTime = await ownTimeOf(page)
  const before = await readOwnTime()
  await act()
  const ownMs = (await readOwnTime()) - before
  const times: number[] = await page.evaluate('cancelAnimationFrame(globalThis.frame), frameTimes')
  const gaps = times.slice(1).map((at, nth) => at - (times[nth] ?? at))
  const sorted = gaps.toSorted((one, other) => one - other)
  const total = gaps.reduce((sum, gap) => sum + gap, 0)
  return {
    frames: gaps.length,
    perSecond: Math.round((gaps.length / total) * 10_000) / 10,
    longestMs: Math.round(sorted.at(-1) ?? 0),
    p80Ms: Math.round(sorted[Math.floor(sorted.length * 0.8)] ?? 0),
    ownMs: Math.round((ownMs / gaps.length) * 10) / 10,
  }
}

/** Reads how long the page's thread has worked, in milliseconds of processor time. */
async function ownTimeOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
}

async function middleOf(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator('[data-ready="true"]').boundingBox()
  return box === null ? { x: 0, y: 0 } : { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

async function drag(page: Page): Promise<void> {
  const { x, y } = await middleOf(page)
  await page.mouse.move(x - 200, y)
  await page.mouse.down()
  for (let step = 0; step < STEPS; step++)
    await page.mouse.move(x - 200 + step * 4, y + Math.sin(step / 8) * 60)
  await page.mouse.up()
}

async function wheel(page: Page): Promise<void> {
  const { x, y } = await middleOf(page)
  await page.mouse.move(x, y)
  for (let step = 0; step < STEPS / 3; step++) await page.mouse.wheel(0, step % 20 < 10 ? -120 : 120)
}

async function hover(page: Page): Promise<void> {
  const { x, y } = await middleOf(page)
  for (let step = 0; step < STEPS; step++)
    await page.mouse.move(x - 200 + step * 4, y + Math.sin(step / 5) * 80)
}
