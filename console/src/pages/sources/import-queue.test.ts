import { describe, expect, it } from 'vitest'
import { ApiError } from '../../api/errors.ts'
import { FILE_BYTES_MAX, type GivenFile, refusalOf } from './file-check.ts'
import { createImportQueue, type SendFile } from './import-queue.ts'

const file = (name: string, text = 'text'): GivenFile => ({ name, file: new File([text], name) })
const refused = (status: number): ApiError =>
  new ApiError({ code: 'overloaded', message: `Refused with ${status}`, status, requestId: null })
const stored = { is: 'stored', title: 'Title', isTruncated: false } as const

/** A queue, and a promise for the end of all its files. */
function queueThat(send: SendFile) {
  const waits: number[] = []
  const queue = createImportQueue({
    send,
    onStored: () => {},
    wait: async (ms) => {
      waits.push(ms)
    },
  })
  const over = async (): Promise<string[]> => {
    for (;;) {
      const outcomes = queue.files().map(({ outcome }) => outcome.is)
      if (!outcomes.includes('waiting') && !outcomes.includes('sending')) return outcomes
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { queue, over, waits }
}

describe('an import', () => {
  it('sends two files at a time, each once', async () => {
    let [now, most] = [0, 0]
    const sent: string[] = []
    const { queue, over } = queueThat(async ({ name }) => {
      now += 1
      most = Math.max(most, now)
      sent.push(name)
      await new Promise((resolve) => setImmediate(resolve))
      now -= 1
      return stored
    })
    const names = Array.from({ length: 9 }, (_, at) => `${at}.md`)
    queue.add(
      'source',
      names.map((name) => file(name)),
    )
    await over()
    expect(most).toBe(2)
    expect(sent.toSorted()).toEqual(names)
  })

  it('waits if the service is busy, and gives up after a few attempts', async () => {
    let tries = 0
    const { queue, over, waits } = queueThat(async ({ name }) => {
      tries += 1
      if (name === 'late.md' && tries >= 3) return stored
      throw refused(503)
    })
    queue.add('source', [file('late.md')])
    expect(await over()).toEqual(['stored'])
    expect(waits).toHaveLength(2)
    queue.add('source', [file('never.md')])
    expect(await over()).toEqual(['stored', 'failed'])
    expect(tries).toBe(7)
  })

  it('shows the error of a refusal, and retries only on request', async () => {
    let isDown = true
    const { queue, over } = queueThat(async () => {
      if (isDown) throw refused(400)
      return stored
    })
    queue.add('source', [file('a.md')])
    await over()
    expect(queue.files()[0]?.outcome).toEqual({ is: 'failed', reason: 'Refused with 400' })
    isDown = false
    queue.retry()
    expect(await over()).toEqual(['stored'])
    queue.clear()
    expect(queue.files()).toEqual([])
  })

  it('sends files of the same name to each of two sources', async () => {
    const sent: string[] = []
    const { queue, over } = queueThat(async ({ sourceId, name }) => {
      sent.push(`${sourceId}/${name}`)
      await new Promise((resolve) => setImmediate(resolve))
      return stored
    })
    const names = ['a.md', 'b.md', 'README.md']
    for (const source of ['first', 'second'])
      queue.add(
        source,
        names.map((name) => file(name)),
      )
    expect(await over()).toHaveLength(6)
    expect(sent.toSorted()).toEqual(
      ['first', 'second'].flatMap((source) => names.map((name) => `${source}/${name}`)).toSorted(),
    )
  })

  it('sends a file again that was added again while it was sent, and then shows only the newer result', async () => {
    const sent: string[] = []
    const { queue, over } = queueThat(async ({ file: blob }) => {
      const text = await blob.text()
      sent.push(text)
      if (text === 'first') queue.add('source', [file('a.md', 'second'), file('b.md', 'other')])
      await new Promise((resolve) => setImmediate(resolve))
      sent.push(`${text} ended`)
      return text === 'first' ? stored : { is: 'unchanged' }
    })
    queue.add('source', [file('a.md', 'first')])
    await over()
    expect(sent.indexOf('second')).toBeGreaterThan(sent.indexOf('first ended'))
    expect(sent).toHaveLength(6)
    expect(queue.files().map(({ name, outcome }) => [name, outcome.is])).toEqual([
      ['a.md', 'unchanged'],
      ['b.md', 'unchanged'],
    ])
  })

  it('omits hidden files, and lists unsupported ones before sending', async () => {
    const { queue, over } = queueThat(async () => stored)
    const given = [
      file('notes/.git/config'),
      file('.DS_Store'),
      file('a.md'),
      file('a.gif'),
      file('empty.md', ''),
    ]
    expect(queue.add('source', given)).toBe(2)
    expect(await over()).toEqual(['stored', 'refused', 'refused'])
    expect(refusalOf({ name: 'a.pdf', file: { size: FILE_BYTES_MAX, type: '' } })).toBeNull()
    expect(refusalOf({ name: 'a.pdf', file: { size: FILE_BYTES_MAX + 1, type: '' } })).toContain('Too large')
  })
})
