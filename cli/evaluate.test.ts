import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readQuestions } from './evaluation/read-questions.ts'
import { ANSWER, type EmulatedService, HIT, startEmulatedService } from './support/emulated-service.ts'
import { type CommandResult, runCommand } from './support/run-command.ts'

let service: EmulatedService
let file: string
beforeAll(async () => {
  service = await startEmulatedService()
})
afterAll(() => service.close())
beforeEach(async () => {
  service.requests.length = 0
  file = join(await mkdtemp(join(tmpdir(), 'memory-evaluate-')), 'questions.csv')
})

const evaluate = (...args: string[]): Promise<CommandResult> =>
  runCommand(['evaluate', file, ...args], { MEMORY_URL: service.url, MEMORY_API_KEY: service.key })
const hit = (id: number, title: string, content = 'text') => ({
  ...HIT,
  sourceItemId: `00000000-0000-4000-8000-00000000000${id}`,
  title,
  content,
  url: `https://wiki.example/${id}`,
})
/** Makes searches find these hits. */
const finding = (...hits: object[]): void => {
  service.intercept = ({ path }) =>
    path === '/v1/search' ? { status: 200, body: { query: 'q', hits } } : { status: 200, body: ANSWER }
}

describe('memory evaluate', () => {
  it('prints the results that were paid for when it cannot continue', async () => {
    let asked = 0
    const used = { status: 429, body: { error: 'No credits are left', code: 'quota_exceeded' } }
    service.intercept = ({ path }) => {
      if (path === '/v1/ask') return ++asked > 1 ? used : { status: 200, body: ANSWER }
      return { status: 200, body: { query: 'q', hits: [hit(1, 'Travel')] } }
    }
    await writeFile(file, 'question,page\nOne?,Travel\nTwo?,Travel\n')
    const { code, stdout, stderr } = await evaluate()
    expect(code).toBe(1)
    expect(stdout).toContain('rank 1: One?')
    expect(stderr).toContain('No credits are left')
  })

  it('ranks the expected pages and facts, counts hits, and asks one search and one answer a question', async () => {
    finding(hit(1, 'Travel'), hit(1, 'Travel'), hit(2, 'PTO  Policy'), hit(3, 'Other', 'the **magic** word'))
    await writeFile(
      file,
      [
        'question,page,fact',
        'By title?,pto policy,25 DAYS',
        'By URL?,https://wiki.example/3,thirty days',
        'By ID?,00000000-0000-4000-8000-000000000001,',
        '"By fact, alone?",,magic word',
        'Missing?,Nowhere,',
      ].join('\n'),
    )
    const { code, stdout } = await evaluate('--json')
    expect(code).toBe(0)
    const { summary, results, lastRanAt } = JSON.parse(stdout)
    expect(results.map(({ rank, hasFact }: Record<string, unknown>) => [rank, hasFact])).toEqual([
      [2, true],
      [3, false],
      [1, null],
      [3, false],
      [null, null],
    ])
    expect(results[0]).toMatchObject({ line: 2, answer: ANSWER.answer, change: 'new' })
    expect(summary).toMatchObject({ questions: 5, hitsAt1: 1, hitsAt3: 4, hitsAt10: 4, facts: 3 })
    expect(lastRanAt).toBeNull()
    expect(service.requests.filter(({ path }) => path === '/v1/search')).toHaveLength(5)
    expect(service.requests.filter(({ path }) => path === '/v1/ask')).toHaveLength(5)
  })

  it('compares with the last run, which it keeps beside the questions', async () => {
    await writeFile(file, 'question,page\nWhere?,Travel\nWhat?,PTO\nWhy?,Other\n')
    finding(hit(1, 'Travel'), hit(2, 'PTO'))
    await evaluate()
    finding(hit(3, 'Other'), hit(2, 'PTO'), hit(1, 'Travel'))
    const { stdout } = await evaluate('--full')
    expect(stdout).toContain(`rank 3, worse: Where?\n   ${ANSWER.answer}`)
    expect(stdout).toContain('rank 2: What?')
    expect(stdout).toContain('rank 1, better: Why?')
    expect(stdout).toContain('Hits at 1: 1, at 3: 3, at 10: 3, of 3 questions')
    expect(stdout).toMatch(/Since 20\S+: 1 better, 1 worse/)
    expect(JSON.parse(await readFile(`${file}.last-run.json`, 'utf8')).results['Why?']).toEqual({
      rank: 1,
      hasFact: null,
    })
  })

  it('names every bad row by its line, and asks nothing', async () => {
    await writeFile(file, 'question,page\n"two\nlines",A\n,B\nno page,\na,b,c\n')
    const { code, stderr } = await evaluate()
    expect(code).toBe(2)
    expect(stderr).toContain('line 4: no question')
    expect(stderr).toContain('line 5: neither a page nor a fact')
    expect(stderr).toContain('line 6: 3 columns')
    expect(service.requests).toHaveLength(0)
    file = `${file}.nowhere`
    expect(await evaluate()).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') })
  })
})

describe('a file of questions', () => {
  it.each([
    ['question\nq', /line 1/],
    ['page,fact\na,b', /line 1/],
    ['question,page,page\na,b,c', /line 1/],
    ['question,page,owner\na,b,c', /line 1/],
    ['question,page\n\n', /no question/],
    ['question,page\na,"b', /line 2: a quote/],
    [`question,page\n${'q,p\n'.repeat(1_001)}`, /more than 1000/],
    [`question,page\n${'q'.repeat(8_193)},p`, /line 2/],
    [`question,page\nq,${'p'.repeat(8_193)}`, /line 2: the page has more than 8192/],
    ['question;page\nq;p', /separated by commas/],
    [Buffer.from('question,page\nq,p\nWer prüft?,p', 'latin1').toString(), /line 3: not UTF-8/],
  ])('rejects files without usable questions: case %#', (text, message) => {
    expect(() => readQuestions(text)).toThrow(message)
  })

  it('accepts a byte order mark, quotes in quotes and Windows line ends', () => {
    expect(readQuestions('\uFEFFFact,Question\r\n"say ""hi"", now",Why?\r\n')).toEqual([
      { line: 2, question: 'Why?', page: null, fact: 'say "hi", now' },
    ])
  })
})
