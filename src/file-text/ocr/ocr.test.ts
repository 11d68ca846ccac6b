import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { deflateSync } from 'node:zlib'
import { distance } from 'fastest-levenshtein'
import { afterAll, describe, expect, it } from 'vitest'
import { LINE, SCANS, TABLE } from '../../../test/scans/texts.ts'
import { grayOf, pngFile, pngOf } from '../../../test/support/images.ts'
import { readFile } from '../../../test/support/read-file.ts'
import { seededRandom } from '../../../test/support/random.ts'
import { imagePage, type PdfImage, pdfOfPages } from '../../../test/support/scanned-pdf.ts'
import { createTextExtractor, ExtractionError, ocrSetting, recognitionOf } from '../index.ts'
import { readScans } from '../read-scans.ts'

const extractor = createTextExtractor({ recognition: recognitionOf(ocrSetting.parse(undefined)) })
const withoutOcr = createTextExtractor({ threads: 1, recognition: recognitionOf(ocrSetting.parse('off')) })
afterAll(async () => {
  await extractor.close()
  await withoutOcr.close()
})

const scan = (name: string): Buffer => readFileSync(new URL(`../../../test/scans/${name}`, import.meta.url))
const read = async (format: 'image' | 'pdf', bytes: Uint8Array, over = {}): Promise<string> =>
  (await readFile(extractor, format, bytes, over)).text
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const SIZE = { width: 800, height: 75 }
const CCITT: PdfImage = {
  ...SIZE,
  data: scan('line.g4'),
  entries: `/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 800 /Rows 75 >>`,
}
const JPEG: PdfImage = {
  ...SIZE,
  data: scan('line.jpg'),
  entries: '/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode',
}
const DAMAGED: PdfImage = { ...JPEG, data: scan('line.jpg').subarray(0, 200) }
/** Four gigabytes of pixels. */
const BOMB: PdfImage = {
  width: 65_000,
  height: 65_000,
  data: deflateSync(Buffer.alloc(50_000_000)),
  entries: '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode',
}
const TEXT_PAGE = { content: 'BT /F1 12 Tf 72 720 Td (A page with its own text.) Tj ET' }

/** The upper and lower half of the table's scan, as some scanners store pages, on a page that lies on its side. */
function turnedPage() {
  const { width, height, gray } = grayOf(scan('table.png'))
  const half = Math.ceil(height / 2)
  const strip = (from: number, to: number): PdfImage => ({
    width,
    height: to - from,
    data: deflateSync(gray.subarray(from * width, to * width)),
    entries: '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode',
  })
  // Counterclockwise by a quarter, which the page's rotation undoes.
  const place = (image: PdfImage, x: number, index: number): string =>
    `q 0 ${width / 2} ${-image.height / 2} 0 ${x} 50 cm /I${index} Do Q`
  const images = [strip(0, half), strip(half, height)] as const
  const content = `${place(images[0], 50 + half / 2, 0)} ${place(images[1], 50 + height / 2, 1)}`
  return { images, content, entries: '/Rotate 90' }
}

describe('a clean scan', () => {
  it.each(Object.entries(SCANS))('in %s has at most 3 %% of its characters wrong', async (name, lines) => {
    const expected = lines.join(' ')
    const found = oneLine(await read('image', scan(`${name}.png`)))
    expect(distance(found, expected) / expected.length, found).toBeLessThanOrEqual(0.03)
  })

  it('keeps lines, and the rows of a table as Markdown', async () => {
    const [header, ...rows] = TABLE.rows
    const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
    const table = [row(header), '| --- | --- | --- | --- |', ...rows.map(row)].join('\n')
    expect(await read('image', scan('table.png'))).toBe(`${TABLE.before}\n\n${table}\n\n${TABLE.after}`)
  })
})

describe('a PDF with scanned pages', () => {
  it('is read around damaged pages, and pages with text keep it', async () => {
    const pages = [imagePage(CCITT), TEXT_PAGE, imagePage(DAMAGED), imagePage(JPEG)]
    const expected = [LINE, 'A page with its own text.', LINE].join('\n\n')
    expect(await readFile(extractor, 'pdf', pdfOfPages(pages))).toEqual({
      title: '',
      text: expected,
      truncated: false,
    })
  })

  it('is read as its pages show their images: in strips, turned', async () => {
    const text = await read('pdf', pdfOfPages([turnedPage()]))
    expect(text).toContain(
      '| Office chair | Hall 3 | 62 | 189.00 |\n| Filing cabinet | Hall 3 | 17 | 245.90 |',
    )
    expect(text).toContain(TABLE.after)
  })

  it('is read without the pages that fail, and marked truncated, but with their fields; refused if all fail', async () => {
    const reading = { maxTextBytes: 1_000, signal: new AbortController().signal }
    const limits = { languages: ['eng'], pages: 10, timeoutMs: 60_000 } as const
    const document = { title: 'Scan', text: '', truncated: false, pages: ['', '', ''], scans: [1, 2, 3] }
    const failing = (bad: readonly number[]) => async (page: number) => {
      if (bad.includes(page)) throw new ExtractionError('time', `page ${page} is stuck`)
      return { title: '', text: `Page ${page}`, truncated: false }
    }
    const found = await readScans(document, limits, reading, failing([2]))
    expect(found).toEqual({ title: 'Scan', text: 'Page 1\n\nPage 3', truncated: true })
    const form = { ...document, pages: ['', 'Name: Ana', 'Name: Bea'], text: 'Name: Ana\n\nName: Bea' }
    const filled = await readScans(form, limits, reading, failing([2]))
    expect(filled.text).toBe('Page 1\n\nName: Ana\n\nPage 3\n\nName: Bea')
    const refused = readScans({ ...document, pages: ['', '', ''] }, limits, reading, failing([1, 2, 3]))
    await expect(refused).rejects.toThrow('page 1 is stuck')
  })

  it('keeps the pages that are read when recognition must end', async () => {
    const enough = AbortSignal.abort()
    const found = await readFile(extractor, 'pdf', pdfOfPages([TEXT_PAGE, imagePage(JPEG)]), { enough })
    expect(found).toEqual({ title: '', text: 'A page with its own text.', truncated: true })
  })
})

describe('an image', () => {
  it('without text has none', async () => {
    const random = seededRandom('a photo')
    const photo = Uint8Array.from(
      { length: 300 * 200 },
      (_, at) => 128 + 60 * Math.sin(at / 900) + 40 * random(),
    )
    expect(await read('image', pngOf({ width: 300, height: 200, gray: photo }))).toBe('')
    expect(await read('image', pngOf({ width: 300, height: 200, gray: photo.fill(255) }))).toBe('')
  })

  it('that expands too far is refused before it is decoded', async () => {
    const tooLarge = 'it has 100000 × 100000 pixels; the limit is 40 million'
    await expect(read('image', pngFile(100_000, 100_000, deflateSync('x')))).rejects.toThrow(tooLarge)
    const jpeg = scan('line.jpg')
    const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
    jpeg.fill(0xff, frame + 5, frame + 9)
    await expect(read('image', jpeg)).rejects.toThrow('it has 65535 × 65535 pixels')
    expect(await read('pdf', pdfOfPages([imagePage(BOMB)]), { memoryMb: 256 })).toBe('')
  })

  it('of another kind is refused, whatever its name', async () => {
    await expect(read('image', Buffer.from('GIF89a'))).rejects.toThrow('neither a PNG nor a JPEG')
    await expect(read('image', scan('table.png').subarray(0, 2_000))).rejects.toThrow('the image is damaged')
  })

  it('that takes too long is aborted, and the next one is read', async () => {
    const slow = read('image', scan('english.png'), { timeoutMs: 30 })
    await expect(slow).rejects.toMatchObject({ reason: 'time' })
    expect(await read('image', scan('line.jpg'))).toBe(LINE)
  })

  it('leaves the event loop free', async () => {
    const before = performance.eventLoopUtilization()
    await read('image', scan('english.png'))
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5)
  })
})

describe('without OCR', () => {
  it('images are not supported, and scanned pages have no text', async () => {
    expect(withoutOcr.formatOf('image/png', 'a.png')).toBe(null)
    expect(extractor.formatOf('image/png', 'a.png')).toBe('image')
    const found = await readFile(withoutOcr, 'pdf', pdfOfPages([TEXT_PAGE, imagePage(JPEG)]))
    expect(found).toEqual({ title: '', text: 'A page with its own text.', truncated: false })
  })

  it('the setting names languages in their order', () => {
    expect(ocrSetting.parse('deu, eng')).toEqual(['deu', 'eng'])
    expect(ocrSetting.safeParse('eng,xyz').error?.issues[0]?.message).toBe(
      'must be off or a list of eng, deu, fra, spa',
    )
  })
})
