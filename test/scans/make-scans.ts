/**
 * Draws the scanned pages of this folder in a Chromium and stores them as gray PNG files: `node
 * test/scans/make-scans.ts CHROMIUM`. Fonts are the machine's, so the bytes differ from one machine to another.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { chromium } from 'playwright-core'
import { z } from 'zod'
import { type GrayImage, pngOf } from '../support/images.ts'
import { LINE, SCANS, TABLE } from './texts.ts'

/** 150 dots per inch; a page of the browser has 96. */
const SCALE = 150 / 96
const GRAYS = 16
/** Paper rarely lies straight on the glass. */
const STYLE = `body { margin: 40px; width: 620px; font: 17px/1.45 'Liberation Serif'; white-space: nowrap; rotate: 0.3deg }
  td { padding: 5px 42px 5px 0 } p { margin: 16px 0 }`

const fileOf = (name: string): URL => new URL(name, import.meta.url)
const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}<br>`).join('')
const rowsOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')

const pages = {
  ...Object.fromEntries(Object.entries(SCANS).map(([name, lines]) => [name, linesOf(lines)])),
  table: `<p>${TABLE.before}</p><table>${rowsOf(TABLE.rows)}</table><p>${TABLE.after}</p>`,
}

/** Decodes the screenshot in the browser. */
const pixelsOf = (png: string): string => `(async () => {
  const image = new Image()
  image.src = 'data:image/png;base64,${png}'
  await image.decode()
  const { width, height } = image
  const context = new OffscreenCanvas(width, height).getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, width, height)
  return { width, height, red: Array.from(data).filter((_, at) => at % 4 === 0) }
})()`
const Pixels = z.object({ width: z.number(), height: z.number(), red: z.array(z.number()) })

const browser = await chromium.launch({ executablePath: process.argv[2] ?? '/usr/bin/chromium' })
const page = await browser.newPage({ viewport: { width: 720, height: 330 }, deviceScaleFactor: SCALE })
for (const [name, html] of Object.entries(pages)) {
  await page.setContent(`<style>${STYLE}</style>${html}`)
  const screenshot = (await page.screenshot()).toString('base64')
  const { width, height, red } = Pixels.parse(await page.evaluate(pixelsOf(screenshot)))
  const step = 255 / (GRAYS - 1)
  const gray = Uint8Array.from(red, (value) => Math.round(value / step) * step)
  await writeFile(fileOf(`${name}.png`), pngOf({ width, height, gray }))
}

// One line as JPEG, and in the compression of fax machines.
await page.setContent(`<style>body { margin: 14px; font: 17px 'Liberation Serif' }</style>${LINE}`)
const clip = { x: 0, y: 0, width: 512, height: 48 }
await writeFile(fileOf('line.jpg'), await page.screenshot({ type: 'jpeg', quality: 80, clip }))
const drawn = Pixels.parse(
  await page.evaluate(pixelsOf((await page.screenshot({ clip })).toString('base64'))),
)
writeFileSync(fileOf('line.g4'), faxOf({ ...drawn, gray: Uint8Array.from(drawn.red) }))
await browser.close()

/** Group 4 (ITU T.6), by Debian's libtiff-tools. */
function faxOf({ width, height, gray }: GrayImage): Buffer {
  const [plain, packed] = ['/tmp/scan.pbm', '/tmp/scan.tiff']
  const stride = Math.ceil(width / 8)
  const bits = Buffer.alloc(stride * height)
  for (const [at, value] of gray.entries()) {
    const x = at % width
    const byte = Math.floor(at / width) * stride + (x >> 3)
    if (value < 128) bits[byte] = (bits[byte] ?? 0) | (0x80 >> (x & 7))
  }
  writeFileSync(plain, Buffer.concat([Buffer.from(`P4\n${width} ${height}\n`), bits]))
  execFileSync('ppm2tiff', ['-c', 'g4', '-R', '150', plain, packed])
  const tiff = readFileSync(packed)
  const info = execFileSync('tiffinfo', ['-s', packed]).toString()
  const [, offset, length] = /0: \[\s*(\d+),\s*(\d+)\]/.exec(info) ?? []
  return tiff.subarray(Number(offset), Number(offset) + Number(length))
}
