import { afterAll, describe, expect, it } from 'vitest'
import {
  createTextExtractor,
  ExtractionError,
  ocrSetting,
  recognitionOf,
  type TextFormat,
} from '../../src/file-text/index.ts'
import { fileCorpus, mutateFile } from '../support/file-corpus.ts'
import { eachInput } from '../support/fuzz-inputs.ts'
import { below } from '../support/mutate.ts'
import { seededRandom } from '../support/random.ts'

const extractor = createTextExtractor({ threads: 1 })
// Damaged PDFs often lose their text, and drawing each of their pages takes long.
const imageExtractor = createTextExtractor({
  threads: 1,
  recognition: recognitionOf(ocrSetting.parse('eng')),
})
afterAll(async () => {
  await extractor.close()
  await imageExtractor.close()
})

const corpus = await fileCorpus()
const TEXT_BYTES_MAX = 100_000
/** The service's time limit, for files of a few kilobytes. */
const TIMEOUT_MS = 20_000

/** The fault in reading a file, which must give text or be unreadable within its time and memory limits. */
async function complaintOf(format: TextFormat, bytes: Buffer): Promise<string | null> {
  try {
    const { title, text } = await (format === 'image' ? imageExtractor : extractor).extract({
      format,
      bytes,
      charset: null,
      path: 'file',
      maxTextBytes: TEXT_BYTES_MAX,
      timeoutMs: TIMEOUT_MS,
      memoryMb: 256,
      signal: new AbortController().signal,
    })
    if (Buffer.byteLength(text) > TEXT_BYTES_MAX) return `${Buffer.byteLength(text)} bytes of text`
    return typeof title === 'string' ? null : 'no title'
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    return error.reason === 'unreadable' && !error.message.includes('crashed') ? null : error.message
  }
}

describe('a damaged file is read or refused, within its time and memory', () => {
  it.each(Object.entries(corpus) as [TextFormat, Buffer[]][])(
    '%s',
    async (format, files) => {
      for (const file of files) expect(await complaintOf(format, file)).toBe(null)
      const random = seededRandom(`damaged ${format}`)
      const wrong = await eachInput(async () => {
        const file = files[below(files.length, random)] ?? Buffer.alloc(0)
        const damaged = await mutateFile(file, random)
        const complaint = await complaintOf(format, damaged)
        return complaint && `${complaint}: ${damaged.subarray(0, 4_000).toString('base64')}`
      })
      expect(wrong).toEqual([])
    },
    3_600_000,
  )
})
