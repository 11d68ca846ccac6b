import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { brokenPdf, pdfBomb, pdfOf, wordBomb, wordOf } from '../../emulators/google/file-formats.ts'
import { until } from '../../test/support/until.ts'
import type { TextFormat } from './text-format.ts'
import { ExtractionError } from './extraction-error.ts'
import { createTextExtractor, type ExtractInput } from './text-extractor.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

function input(format: TextFormat, bytes: Uint8Array, over: Partial<ExtractInput> = {}): ExtractInput {
  return {
    format,
    bytes,
    charset: null,
    path: '',
    maxTextBytes: 100_000,
    timeoutMs: 200_000,
    memoryMb: 256,
    signal: new AbortController().signal,
    ...over,
  }
}

const bytesOf = (text: string) => Buffer.from(text)

async function reasonOf(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((thrown: unknown) => thrown)
  return error instanceof ExtractionError ? error.reason : `no ExtractionError: ${String(error)}`
}

describe('text extraction', () => {
  it('reads PDF, Word, HTML and plain text', async () => {
    const pdf = await extractor.extract(input('pdf', pdfOf(['Budget (draft)', 'for the office move'])))
    expect(pdf.text).toBe('Budget (draft)\nfor the office move')
    const word = await extractor.extract(input('word', wordOf(['First & last', 'Second'])))
    expect(word.text).toBe('First & last\n\nSecond')
    const html = await extractor.extract(
      input(
        'html',
        bytesOf(
          '<h1>Plan</h1><script>x()</script><p>Go <a href="https://a.example">there</a></p><img src=x>',
        ),
      ),
    )
    expect(html.text).toBe('# Plan\n\nGo there')
    const text = await extractor.extract(input('text', bytesOf('a\r\nb  \n\n\n\nc\n')))
    expect(text.text).toBe('a\nb\n\nc')
  })

  it('cuts at the limit, never inside a character', async () => {
    const { text, truncated } = await extractor.extract(
      input('text', bytesOf('ää€'.repeat(50)), { maxTextBytes: 12 }),
    )
    expect(truncated).toBe(true)
    expect(text).toBe('ää€ää')
  })

  it('reports a file of the wrong format and reads the next one', async () => {
    expect(await reasonOf(extractor.extract(input('pdf', brokenPdf())))).toBe('unreadable')
    expect(await reasonOf(extractor.extract(input('word', bytesOf('no zip'))))).toBe('unreadable')
    expect((await extractor.extract(input('pdf', pdfOf(['fine'])))).text).toBe('fine')
  })

  it('stops endless expansion at the memory limit without harming the process', async () => {
    const before = process.memoryUsage.rss()
    for (const [format, bomb] of [
      ['word', wordBomb(2048)],
      ['pdf', pdfBomb(2048)],
    ] as const) {
      const reason = await reasonOf(extractor.extract(input(format, bomb, { memoryMb: 96 })))
      expect(`${format}: ${reason}`).toBe(`${format}: memory`)
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024)
    expect((await extractor.extract(input('pdf', pdfOf(['fine'])))).text).toBe('fine')
  })

  it('stops a slow file at the time limit', async () => {
    const endless = extractor.extract(input('word', wordBomb(2048), { memoryMb: 4096, timeoutMs: 300 }))
    expect(await reasonOf(endless)).toBe('time')
  })

  it('fails only the slow file, with an error that names the limit', async () => {
    const slow = extractor.extract(input('html', bytesOf('<p>'.repeat(100_000)), { timeoutMs: 1 }))
    await expect(slow).rejects.toThrow('The file took longer than 0.001 s to read')
    expect((await extractor.extract(input('html', bytesOf('<p>fine</p>')))).text).toBe('fine')
  })

  it('ends when aborted', async () => {
    const controller = new AbortController()
    const running = extractor.extract(
      input('word', wordBomb(2048), { memoryMb: 4096, signal: controller.signal }),
    )
    controller.abort(new Error('drain'))
    await expect(running).rejects.toThrow('drain')
  })

  it('reads deeply nested HTML without overflowing the stack', async () => {
    const nested = `${'<div>'.repeat(5_000)}deep${'</div>'.repeat(5_000)}<p>shallow</p>`
    const attempt = await extractor.extract(input('html', bytesOf(nested))).catch((error: unknown) => error)
    expect(attempt instanceof ExtractionError || JSON.stringify(attempt).includes('shallow')).toBe(true)
  })
})

it('reads files where the system refuses to lower the priority of a thread', async () => {
  const refuse = `import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    os.setPriority = () => { throw new Error('EPERM') }
    syncBuiltinESMExports()`
  const module = new URL('./text-extractor.ts', import.meta.url).href
  const job = JSON.stringify({
    format: 'text',
    charset: null,
    path: '',
    maxTextBytes: 9,
    timeoutMs: 60_000,
    memoryMb: 256,
  })
  const read = `import { createTextExtractor } from '${module}'
    const { extract, close } = createTextExtractor()
    const job = { ...${job}, bytes: Buffer.from('text'), signal: new AbortController().signal }
    console.log((await extract(job)).text)
    await close()`
  // Threads take over the options of their process.
  const options = ['--import', `data:text/javascript,${encodeURIComponent(refuse)}`, '--eval', read]
  expect((await promisify(execFile)(process.execPath, options)).stdout).toBe('text\n')
})

describe('a thread that dies between files', () => {
  const started: Worker[] = []
  const note = (worker: Worker): void => void started.push(worker)
  beforeAll(() => void process.on('worker', note))
  afterAll(() => void process.off('worker', note))

  it.each([
    ['ends', (worker: Worker) => worker.terminate()],
    // As a rejection that a parser left behind ends it.
    ['fails', async (worker: Worker) => void worker.emit('error', new Error('a promise was rejected'))],
  ])('is replaced when it %s', async (_how, end) => {
    const own = createTextExtractor({ threads: 1 })
    started.length = 0
    await own.extract(input('text', bytesOf('one')))
    for (const worker of started) await end(worker)
    expect((await own.extract(input('text', bytesOf('two'), { timeoutMs: 20_000 }))).text).toBe('two')
    await own.close()
    await until(
      'every thread has ended',
      () => started,
      (all) => all.every(({ threadId }) => threadId === -1),
    )
  })
})
