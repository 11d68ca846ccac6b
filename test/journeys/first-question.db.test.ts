import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { banner } from '../../src/process/banner.ts'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const BANNER = banner({
  url: 'http://127.0.0.1:8787',
  database: 'embedded',
  model: 'builtin-4',
  signIn: { by: 'nobody', reason: 'not in this test' },
  newSecret: 'svc_x',
})
const QUOTED_COMMAND = /npm run memory -- (\w+) ("[^"]*"|\S+)/g

let service: TestService
let organization: TestOrganization
let readme: string
let folder: string

beforeAll(async () => {
  service = await startTestService({ embeddingModel: await loadBuiltinModel() })
  organization = await service.organization()
  readme = await readFile('README.md', 'utf8')
  folder = await mkdtemp(join(tmpdir(), 'first-question-'))
})

afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** The argument that a text tells its reader to pass to a command. */
function toldTo(command: string, text: string): string {
  const told = [...text.matchAll(QUOTED_COMMAND)].find(([, name]) => name === command)?.[2]
  if (told === undefined) throw new Error(`no ${command} in the text`)
  return told.replaceAll('"', '')
}

/** The JSON that README sends to a route of the service. */
function bodyInReadme(route: string): { query: string } {
  const filled = readme.replaceAll("'$SOURCE'", organization.sources.notion)
  const [, sent = ''] = filled.split(`curl -s localhost:8787${route} `)
  const body = /-d '([^']*)'/.exec(sent)?.[1]
  if (body === undefined) throw new Error(`README sends nothing to ${route}`)
  return JSON.parse(body)
}

const ask = async (query: string) => {
  const { status, body } = await service.call('POST', '/v1/ask', {
    key: organization.adminKey,
    body: { query },
  })
  expect(status).toBe(200)
  return body
}

async function memory(...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    MEMORY_URL: service.url,
    MEMORY_API_KEY: organization.adminKey,
    XDG_STATE_HOME: join(folder, 'state'),
  }
  return (await run(process.execPath, ['cli/main.ts', ...args], { env })).stdout
}

// In this order: each test uses what the previous one stored, as a newcomer would.
describe('the first question of a newcomer', () => {
  it('is the same in the banner and in README, which both import the docs before', () => {
    expect(toldTo('import', BANNER)).toBe('docs')
    expect(toldTo('import', readme)).toBe('docs')
    expect(toldTo('ask', readme)).toBe(toldTo('ask', BANNER))
  })

  it('gets an answer without citations from an empty memory', async () => {
    const question = toldTo('ask', BANNER)
    expect(await ask(question)).toEqual({
      question,
      answer: `I could not find company context for: ${question}`,
      citations: [],
      context: [],
      limitations: [],
    })
  })

  it('is answered from the docs after their import, with the page cited', async () => {
    expect(await memory('import', toldTo('import', BANNER))).toMatch(/documents stored/)
    const question = toldTo('ask', BANNER)
    const { answer, citations } = await ask(question)
    expect(answer).toMatch(/to the new key before the old one, .* and restart every process\. \[1\]/)
    expect(citations[0]).toMatchObject({ index: 1, title: 'Rotate secrets' })
    // The docs quote the question themselves, as an example.
    expect(answer).not.toContain('npm run memory')
    expect(await memory('ask', question)).toMatch(
      /\[1\] Rotate secrets {2}docs\/guides\/rotate-secrets\.md\n/,
    )
    expect(await memory('search', toldTo('search', readme))).toContain('docs/guides/rotate-secrets.md')
  })

  it("about README's own document is answered from it, although the stored docs quote the question", async () => {
    const ingested = await service.call('POST', '/v1/ingest', {
      key: organization.adminKey,
      body: bodyInReadme('/v1/ingest'),
    })
    expect(ingested).toMatchObject({ status: 200, body: { ingested: 1 } })
    const { answer, citations } = await ask(bodyInReadme('/v1/ask').query)
    expect(answer).toMatch(/^Employees accrue 25 days of paid time off per year\. \[(\d)\]/)
    expect(citations[0]).toMatchObject({ title: 'PTO policy' })
  })

  it("in other words still gets the document's content, and no quotation of itself", async () => {
    const { answer } = await ask('How many vacation days do I get?')
    expect(answer).toContain('Employees accrue 25 days of paid time off per year.')
    expect(answer).not.toMatch(/curl|npm run/)
  })
})
