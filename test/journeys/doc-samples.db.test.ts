import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'
import { codeBlocks, docPages, readPage, ROOT, testedBlock } from '../support/doc-pages.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

const run = promisify(execFile)
/** How the pages call the command line; the tests start it without npm. */
const MEMORY = /npm run (?:--silent )?memory --/g
const CLIENT = path.join(ROOT, 'client/src/index.ts')

let service: TestService
let organization: TestOrganization
let folder: string

beforeAll(async () => {
  service = await startTestService({ embeddingModel: await loadBuiltinModel() })
  organization = await service.organization()
  folder = await mkdtemp(path.join(tmpdir(), 'doc-samples-'))
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const environment = () => ({
  PATH: process.env.PATH,
  MEMORY_URL: service.url,
  MEMORY_API_KEY: organization.adminKey,
  XDG_STATE_HOME: path.join(folder, 'state'),
  PYTHONPATH: path.join(ROOT, 'client/python/src'),
})

/** Runs a block as a reader who copies it, and returns its output. */
async function copied(page: string, name: string): Promise<string> {
  const code = testedBlock(await readPage(page), name).replaceAll(MEMORY, `${process.execPath} cli/main.ts`)
  return (await run('bash', ['-euo', 'pipefail', '-c', code], { env: environment(), cwd: ROOT })).stdout
}

/** The output of the previous block according to the page. */
async function expected(page: string, after: string): Promise<string> {
  const blocks = codeBlocks(await readPage(page))
  const at = blocks.findIndex(({ test }) => test === after)
  return blocks[at + 1]?.code ?? ''
}

// In this order: each test uses what the previous one stored, as a reader would.
describe('docs/tutorials/first-answer.md', () => {
  const page = 'docs/tutorials/first-answer.md'

  it('imports, finds, and answers with a source', async () => {
    expect(await copied(page, 'import docs')).toMatch(/documents stored/)
    expect(await copied(page, 'search docs')).toContain('docs/guides/rotate-secrets.md')
    expect(await copied(page, 'ask docs')).toMatch(/\[1\] Rotate secrets/)
  })

  it('says when there is no answer', async () => {
    expect(await copied(page, 'ask nothing')).toMatch(/Nothing stored answers this|could not find/)
  })

  it('answers from a pushed document', async () => {
    const pushed = await copied(page, 'push')
    // A repeated run has already stored it.
    expect([await expected(page, 'push'), '{"ingested":0,"skipped":1}\n']).toContain(`${pushed.trim()}\n`)
    const { answer, citations } = JSON.parse(await copied(page, 'ask pushed'))
    expect(answer).toMatch(/^Employees accrue 25 days of paid time off per year\. \[1\]/)
    expect(citations[0].title).toBe('PTO policy')
  })
})

describe('docs/guides/import-documents.md', () => {
  const page = 'docs/guides/import-documents.md'

  it('stores a record and deletes it', async () => {
    expect(JSON.parse(await copied(page, 'import'))).toEqual(JSON.parse(await expected(page, 'import')))
    await copied(page, 'delete')
    const again = await service.call('GET', '/v1/source-items?provider=notion', {
      key: organization.adminKey,
    })
    expect(JSON.stringify(again.body)).not.toContain('Acme renewal')
  })
})

describe('docs/tutorials/agent-over-mcp.md', () => {
  const page = 'docs/tutorials/agent-over-mcp.md'

  it('creates a key and searches with the tool', async () => {
    expect(await copied(page, 'create key')).toMatch(/^svc_[\w-]{43}\n$/)
    const { result } = JSON.parse((await copied(page, 'mcp')).replace(/^[^]*?data: /, ''))
    expect(result.structuredContent.results[0].title).toBe('Rotate secrets')
  })
})

describe('docs/tutorials/support-bot.md', () => {
  const page = 'docs/tutorials/support-bot.md'
  const QUESTIONS = ['How do I reset my password?', 'What is the weather on Mars?']

  /** The bot has its own memory, without this documentation. */
  const asShop = async () => ({ ...environment(), MEMORY_API_KEY: (await service.organization()).adminKey })
  const printed = async () => codeBlocks(await readPage(page)).at(-1)?.code

  it('has a TypeScript bot that prints the documented output', async () => {
    const code = testedBlock(await readPage(page), 'bot.mts').replace('@retrieval-memory/client', CLIENT)
    await writeFile(path.join(folder, 'bot.mts'), code)
    // As `npm init -y` writes it.
    await writeFile(path.join(folder, 'package.json'), '{ "type": "commonjs" }')
    const { stdout } = await run(process.execPath, [path.join(folder, 'bot.mts'), ...QUESTIONS], {
      env: await asShop(),
    })
    expect(stdout).toBe(await printed())
  })

  it('has a Python bot that prints the same', async ({ skip }) => {
    if (spawnSync('python3', ['-c', 'import httpx']).status !== 0) skip('there is no Python with httpx')
    await writeFile(path.join(folder, 'bot.py'), testedBlock(await readPage(page), 'bot.py'))
    const { stdout } = await run('python3', [path.join(folder, 'bot.py'), ...QUESTIONS], {
      env: await asShop(),
    })
    expect(stdout).toBe(await printed())
  })
})

describe('the blocks marked as tested', () => {
  it('are all run by a test', async () => {
    const journeys = ['doc-samples', 'guide-samples', 'reference-samples']
    const files = journeys.map((name) => readPage(`test/journeys/${name}.db.test.ts`))
    const source = (await Promise.all([...files, readPage('test/contracts/docs.test.ts')])).join('')
    const marked = (await docPages()).flatMap(({ text }) =>
      codeBlocks(text).flatMap(({ test }) => test ?? []),
    )
    expect(marked.filter((name) => !source.includes(`'${name}'`))).toEqual([])
  })
})
