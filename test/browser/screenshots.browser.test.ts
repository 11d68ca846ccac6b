import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { PAGES, startConsole } from './support/console.ts'

const WIDTHS = [360, 768, 1440]
/** The folder they go to: `SCREENSHOTS=.cache/screenshots npm test -- --project browser screenshots`. */
const folder = process.env.SCREENSHOTS ?? ''
const executablePath = inject('chromium')

/** For people to look at; what has to hold is in the suites beside it. */
it.skipIf(executablePath === null || folder === '')(
  'every page can be drawn at every width in both themes',
  async () => {
    await mkdir(folder, { recursive: true })
    const rig = await startConsole(executablePath ?? '')
    try {
      await rig.join('ada@example.com', 'owner')
      for (const colorScheme of ['light', 'dark'] as const) {
        const { context, page } = await rig.open({ colorScheme })
        const shoot = async (name: string): Promise<void> => {
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 900 })
            const image = await page.screenshot({
              path: join(folder, `${name}-${width}-${colorScheme}.png`),
              fullPage: true,
            })
            expect(image.length).toBeGreaterThan(1_000)
          }
        }
        await page.goto(`${rig.service.url}/console/`)
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        await shoot('sign-in')
        await rig.signIn(page, 'ada@example.com')
        for (const [name, path] of Object.entries(PAGES)) {
          await page.goto(`${rig.service.url}/console/${path}`)
          await page.locator('main h1').waitFor()
          await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
          await shoot(name.toLowerCase())
        }
        await context.close()
      }
    } finally {
      await rig.close()
    }
  },
)
