import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ANSWER,
  API_KEY,
  type EmulatedService,
  startEmulatedService,
  toEvent,
} from './support/emulated-service.ts'
import { type CommandResult, runCommand } from './support/run-command.ts'

let service: EmulatedService
beforeAll(async () => {
  service = await startEmulatedService()
})
afterAll(() => service.close())
beforeEach(() => {
  service.intercept = () => undefined
  service.requests.length = 0
})

const ID = '6f2cd5ff-70a3-4a34-9d5b-0d1a6f6f8d01'
const memory = (...args: string[]): Promise<CommandResult> =>
  runCommand(args, { MEMORY_URL: service.url, MEMORY_API_KEY: service.key })
const lastBody = (): unknown => service.requests.at(-1)?.body

describe('memory search', () => {
  it('shows each hit with title, score, location and wrapped text, without colors or control characters', async () => {
    const { stdout, code } = await memory('search', 'how', 'many', 'days')
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('1. PTO [31mpolicy  0.421')
    expect(lines[1]).toBe('   google_drive · https://example.com/pto')
    expect(lines.at(-2)).toBe('   …')
    expect(stdout).not.toContain('\u001b')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
    expect(lastBody()).toEqual({ query: 'how many days', rank: 'hybrid' })
  })

  it('requests vector order on request', async () => {
    await memory('search', 'q', '--rank', 'vector')
    expect(lastBody()).toEqual({ query: 'q', rank: 'vector' })
    expect(await memory('search', 'q', '--rank', 'words')).toMatchObject({ code: 2 })
    await memory('search', 'q', '--recency', '7')
    expect(lastBody()).toEqual({ query: 'q', rank: 'hybrid', recency: 7 })
  })

  it('passes on limit and providers, and shows whole passages on request', async () => {
    const { stdout } = await memory('search', 'q', '-n', '3', '--provider', 'notion,slack', '--full')
    expect(lastBody()).toEqual({
      query: 'q',
      rank: 'hybrid',
      limit: 3,
      filter: { providers: ['notion', 'slack'] },
    })
    expect(stdout.match(/accrue/g)).toHaveLength(30)
  })

  it('reads the query after the providers', async () => {
    await memory('search', '--provider', 'notion', '--provider', 'slack', 'vacation')
    expect(lastBody()).toMatchObject({ query: 'vacation', filter: { providers: ['notion', 'slack'] } })
  })

  it("prints the service's answer as JSON", async () => {
    const { stdout } = await memory('search', 'q', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ query: 'q', hits: [{ score: 0.4213 }] })
  })

  it('says when nothing is found', async () => {
    service.intercept = () => ({ status: 200, body: { query: 'q', hits: [] } })
    expect(await memory('search', 'q')).toMatchObject({ code: 0, stdout: 'No results.\n' })
  })
})

describe('memory ask', () => {
  const expected = 'Employees get 25 days [1].\n\nSources\n[1] PTO policy  https://example.com/pto\n'

  it('shows the answer with its numbered sources', async () => {
    expect(await memory('ask', 'how many days?')).toMatchObject({ code: 0, stdout: expected })
    expect(service.requests[0]?.headers.accept).toBe('application/json')
  })

  it('shows the same when the answer is streamed', async () => {
    expect(await memory('ask', 'how many days?', '--stream')).toMatchObject({ code: 0, stdout: expected })
    expect(service.requests[0]?.headers.accept).toBe('text/event-stream')
  })

  it('says when the answer is limited', async () => {
    const limitations = [{ code: 'answer_truncated', message: 'The answer ends early' }]
    service.intercept = () => ({ status: 200, body: { ...ANSWER, limitations } })
    expect((await memory('ask', 'q')).stdout).toBe(`${expected}\nNote: The answer ends early.\n`)
  })

  it("prints the service's answer as JSON", async () => {
    expect(JSON.parse((await memory('ask', 'q', '--json')).stdout)).toEqual(ANSWER)
  })

  it('shows the path of an item without a link, and the provider of one the key may not read', async () => {
    const context = [{ ...ANSWER.context[0], url: '' }]
    const asked = { status: 200, body: { ...ANSWER, context } }
    const item = { status: 200, body: { sourceItem: { metadata: { path: 'handbook/pto.md' } } } }
    service.intercept = (request) => (request.path === '/v1/ask' ? asked : item)
    expect((await memory('ask', 'q')).stdout).toContain('[1] PTO policy  handbook/pto.md\n')
    const refused = { status: 403, body: { error: 'Not with this key', code: 'action_not_allowed' } }
    service.intercept = (request) => (request.path === '/v1/ask' ? asked : refused)
    const withoutLook = await memory('ask', 'q')
    expect(withoutLook).toMatchObject({ code: 0 })
    expect(withoutLook.stdout).toContain('[1] PTO policy  google_drive\n')
  })

  it.each(['--stream', '--no-stream'])('keeps a conversation in a file: %s', async (manner) => {
    const file = join(await mkdtemp(join(tmpdir(), 'memory-talk-')), 'talk.json')
    const args = ['--conversation', file, '--recency', '30', manner]
    expect(await memory('ask', 'how many days?', ...args)).toMatchObject({ code: 0, stdout: expected })
    expect(lastBody()).toEqual({ query: 'how many days?', recency: 30 })
    await memory('ask', 'and in Germany?', ...args)
    const first = { question: 'how many days?', answer: ANSWER.answer }
    expect(lastBody()).toEqual({ query: 'and in Germany?', recency: 30, conversation: [first] })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([
      first,
      { question: 'and in Germany?', answer: ANSWER.answer },
    ])
    await writeFile(file, '{"not": "one"}')
    expect(await memory('ask', 'why?', ...args)).toMatchObject({ code: 2 })
  })

  it('reports a broken stream, with an error event or without an end', async () => {
    const delta = toEvent('delta', { text: 'Employees' })
    const error = toEvent('error', { error: 'The model went away', code: 'upstream_error' })
    service.intercept = () => ({ status: 200, body: delta + error })
    const broken = await memory('ask', 'q', '--stream')
    expect(broken).toMatchObject({ code: 1, stdout: 'Employees\n' })
    expect(broken.stderr).toBe('Error: The model went away (upstream_error)\n')
    service.intercept = () => ({ status: 200, body: delta })
    expect((await memory('ask', 'q', '--stream')).stderr).toContain('interrupted')
    service.intercept = () => ({ status: 200, body: 'event: delta\ndata: nonsense\n\n' })
    expect(await memory('ask', 'q', '--stream')).toMatchObject({ code: 1 })
  })
})

describe('memory keys, sources, status', () => {
  it('lists keys in aligned columns', async () => {
    const [headings, row] = (await memory('keys', 'list')).stdout.split('\n')
    expect(headings).toMatch(/^NAME +PREFIX +TYPE +ACTIONS +PROVIDERS +LAST USED +CREATED +ID$/)
    expect(row).toBe(
      `Robot  svc_abcdefgh  agent  search,ask  all        never      2026-11-01 10:00  ${API_KEY.id}`,
    )
  })

  it('creates a key and writes only its secret to stdout', async () => {
    const options = ['--actions', 'search,ask', '--providers', 'slack', '--actor-type', 'application']
    const { stdout, code } = await memory('keys', 'create', 'Robot', ...options)
    expect({ stdout, code }).toEqual({ stdout: 'svc_the_secret\n', code: 0 })
    expect(lastBody()).toEqual({
      name: 'Robot',
      allowedActions: ['search', 'ask'],
      allowedProviders: ['slack'],
      actorType: 'application',
    })
  })

  it('revokes a key', async () => {
    expect(await memory('keys', 'revoke', API_KEY.id)).toMatchObject({
      code: 0,
      stdout: 'Revoked "Robot" (svc_abcdefgh…)\n',
    })
    expect(await memory('keys', 'revoke', '../sources')).toMatchObject({ code: 2 })
  })

  it('lists sources with their errors', async () => {
    const { stdout } = await memory('sources', 'list')
    expect(stdout).toMatch(/Google Drive \(push\) +google_drive +active +3 +never/)
    expect(stdout).toContain(
      "Team Drive: The grant was revoked\n  The service retries. If the account's access was withdrawn or has expired, connect it again: npm run memory -- connect google_drive\n",
    )
  })

  it('shows whether the service is ready, the key is valid, and how much is stored', async () => {
    expect((await memory('status')).stdout).toBe(
      `Service  ${service.url} is ready\nKey      accepted\nSources  2\nItems    6\n`,
    )
    expect(await runCommand(['status'], { MEMORY_URL: service.url })).toMatchObject({ code: 0 })
    const wrongKey = await runCommand(['status', '--key', 'svc_no', '--json'], { MEMORY_URL: service.url })
    expect(wrongKey.code).toBe(1)
    expect(JSON.parse(wrongKey.stdout)).toMatchObject({ ready: true, key: 'refused' })
  })

  it.each([['keys', 'list'], ['sources', 'list'], ['status']])(
    'prints JSON on request: %s %s',
    async (...args) => {
      expect(JSON.parse((await memory(...args, '--json')).stdout)).toBeTypeOf('object')
    },
  )
})

describe('memory, on failure', () => {
  it("shows the service's message, code and retry time, with exit code 1", async () => {
    service.intercept = () => ({
      status: 429,
      body: { error: 'Too many requests', code: 'rate_limited', limit: 60 },
      headers: { 'retry-after': '17' },
    })
    const failed = await memory('search', 'q')
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toBe('Error: Too many requests (rate_limited); try again in 17 s\n')
    service.intercept = () => ({
      status: 429,
      body: { error: 'Over the limit; try again in 17 s', code: 'rate_limited', limit: 60 },
      headers: { 'retry-after': '17' },
    })
    const said = await memory('search', 'q')
    expect(said.stderr).toBe('Error: Over the limit; try again in 17 s (rate_limited)\n')
    expect(JSON.parse((await memory('search', 'q', '--json')).stderr)).toEqual({
      error: 'Over the limit; try again in 17 s',
      code: 'rate_limited',
      limit: 60,
      status: 429,
    })
  })

  it('says in one line why a conversation cannot be stored', async () => {
    const file = join(tmpdir(), 'no-such-folder', 'talk.json')
    expect(await memory('ask', 'q', '--conversation', file)).toMatchObject({
      code: 1,
      stderr: `Error: ${file} cannot be written: its folder does not exist\n`,
    })
  })

  it.each([
    [['token', '--email', 'ada'], 'It must be an email address.'],
    [['operator', 'subscription', ID, 'active', '--credits', '10k'], 'It must be a whole number'],
    [['operator', 'index', 'Acme'], 'Not a workspace ID'],
  ])('refuses a value that it would otherwise ignore: %j', async (args, message) => {
    expect(await memory(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
    expect(service.requests).toEqual([])
  })

  it.each([[['search', 'q']], [['mcp']]])(
    'explains how to pass a key when there is none: %j',
    async (args) => {
      const { code, stderr } = await runCommand(args, { MEMORY_URL: service.url })
      expect(code).toBe(1)
      expect(stderr).toMatch(/MEMORY_API_KEY[^]*BOOTSTRAP_ADMIN_KEY/)
    },
  )

  it('explains what to do when no service answers, or another program does', async () => {
    const gone = await startEmulatedService()
    await gone.close()
    const nobody = await runCommand(['status'], { MEMORY_URL: gone.url })
    expect(nobody).toMatchObject({ code: 1 })
    expect(nobody.stderr).toContain('npm start')
    const environment = { MEMORY_URL: gone.url, MEMORY_API_KEY: service.key }
    for (const args of [
      ['documents', 'list'],
      ['documents', 'open', 'x'],
      ['export', '/tmp/never.jsonl'],
    ])
      expect((await runCommand(args, environment)).stderr).toMatch(/^Error: Cannot connect to .*\n$/)
    service.intercept = () => ({ status: 200, body: '<html>' })
    expect((await memory('search', 'q')).stderr).toContain('Is --url right?')
    service.intercept = () => ({ status: 500, body: '<html>' })
    expect((await memory('search', 'q')).stderr).toContain('answered 500 instead of the service')
  })

  it('says that a backup does not exist', async () => {
    const { code, stderr } = await memory('restore', '/nonexistent/backup')
    expect(code).toBe(1)
    expect(stderr).toBe('Error: /nonexistent/backup cannot be read: it does not exist\n')
  })

  it.each([
    [],
    ['search'],
    ['search', 'q', '--limit', '26'],
    ['nonsense'],
    ['search', 'q', '--url', 'ftp://x'],
    ['keys', 'create', 'x'],
  ])('reports a usage error: %j', async (...args) => {
    const { code, stderr } = await memory(...args)
    expect(code).toBe(2)
    expect(stderr).not.toBe('')
  })

  it('reads --json after -- as a word of the question', async () => {
    await memory('search', 'what', 'is', '--', '--json')
    expect(lastBody()).toEqual({ query: 'what is --json', rank: 'hybrid' })
    service.intercept = () => ({ status: 500, body: '<html>' })
    expect((await memory('search', '--', '--json')).stderr).toMatch(/^Error: /)
  })

  it('shows help on request', async () => {
    expect(await memory('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('import') })
  })
})
