import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { ToolExecutionOptions } from 'ai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmulatedService, startEmulatedService } from '../../cli/support/emulated-service.ts'
import { memoryTools } from '../examples/ai-sdk.ts'
import { MemoryRetriever } from '../examples/langchain-retriever.ts'
import { callFunction, FUNCTIONS } from '../examples/openai-functions.ts'
import { Memory } from '../src/index.ts'

const run = promisify(execFile)

let service: EmulatedService
let memory: Memory
beforeAll(async () => {
  service = await startEmulatedService()
  memory = new Memory({ apiKey: service.key, url: service.url })
})
afterAll(() => service.close())
beforeEach(() => {
  service.intercept = () => undefined
  service.requests.length = 0
})

const environment = () => ({ ...process.env, MEMORY_URL: service.url, MEMORY_API_KEY: service.key })

describe('the examples', () => {
  it('store a document and stream an answer in plain TypeScript', async () => {
    const { stdout } = await run(process.execPath, ['client/examples/plain.ts'], { env: environment() })
    expect(stdout).toContain('Employees get 25 days [1].')
    expect([...service.items.keys()]).toContain('handbook/pto')
  })

  it('offer the AI SDK tools that search and ask', async () => {
    const { searchMemory, askMemory } = memoryTools(memory)
    const options: ToolExecutionOptions<object> = { toolCallId: '1', messages: [], context: {} }
    expect(await searchMemory?.execute?.({ query: 'days', limit: 2 }, options)).toMatchObject([
      { provider: 'google_drive', url: 'https://example.com/pto' },
    ])
    expect(service.requests[0]?.body).toEqual({ query: 'days', limit: 2, rank: 'hybrid' })
    expect(await askMemory?.execute?.({ query: 'days' }, options)).toMatchObject({
      answer: 'Employees get 25 days [1].',
      citations: [{ index: 1 }],
    })
  })

  it('answer every function that they declare to OpenAI, and report errors to the model', async () => {
    const call = async (name: string, text: string): Promise<unknown> =>
      JSON.parse((await callFunction(memory, { id: 'c1', function: { name, arguments: text } })).content)
    const answers = FUNCTIONS.map(({ function: { name } }) => call(name, '{"query":"days"}'))
    expect(await Promise.all(answers)).toMatchObject([
      [{ score: 0.4213 }],
      { answer: 'Employees get 25 days [1].' },
    ])
    expect(await call('search_memory', 'nonsense')).toMatchObject({ error: expect.stringContaining('query') })
    expect(await call('drop_memory', '{"query":"x"}')).toMatchObject({
      error: expect.stringContaining('drop_memory'),
    })
    service.intercept = () => ({ status: 429, body: { error: 'All used', code: 'quota_exceeded' } })
    expect(await call('ask_memory', '{"query":"x"}')).toEqual({ error: 'All used', code: 'quota_exceeded' })
  })

  it('retrieve documents for LangChain', async () => {
    const [document] = await new MemoryRetriever(memory, { limit: 3 }).invoke('days')
    expect(document).toMatchObject({
      id: expect.any(String),
      pageContent: expect.stringContaining('accrue'),
      metadata: { provider: 'google_drive', url: 'https://example.com/pto' },
    })
    expect(service.requests[0]?.body).toEqual({ query: 'days', limit: 3, rank: 'hybrid' })
  })

  it('ask in Python, wait after a rate limit, and report an error by its code', async (context) => {
    const python = async (): Promise<string> =>
      (await run('python3', ['client/examples/memory.py', 'how', 'many?'], { env: environment() })).stdout
    if (
      !(await run('python3', ['--version'])
        .then(() => true)
        .catch(() => false))
    )
      return context.skip('there is no python3 here')
    const refusals = [
      { status: 429, body: { error: 'Slow down', code: 'rate_limited' }, headers: { 'retry-after': '1' } },
    ]
    service.intercept = () => refusals.pop()
    expect(await python()).toBe('Employees get 25 days [1].\n[1] PTO policy\n')
    expect(service.requests.map(({ body }) => body)).toEqual([{ query: 'how many?' }, { query: 'how many?' }])
    service.intercept = () => ({ status: 429, body: { error: 'All used', code: 'quota_exceeded' } })
    await expect(python()).rejects.toMatchObject({ stderr: 'All used (quota_exceeded)\n' })
  })
})
