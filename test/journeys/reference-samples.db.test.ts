import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'
import { addMember } from '../../src/organizations/index.ts'
import {
  type ConnectedService,
  type Emulators,
  sleepBriefly,
  startConnectedService,
  startEmulators,
} from '../support/connected-service.ts'
import { codeBlocks, readPage, ROOT, testedBlock } from '../support/doc-pages.ts'
import { createDocShell, type DocShell } from '../support/doc-shell.ts'
import { documentOf, push } from '../support/documents.ts'
import {
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'

const run = promisify(execFile)
const CLIENT = path.join(ROOT, 'client/src/index.ts')
const REFERENCE = 'docs/reference'
const PERMISSIONS = 'docs/explanation/permissions.md'
/** Tests read into answers and assert what they find. */
const Answer = z.record(z.string(), z.json())

let docs: DocShell
let service: TestService
let organization: TestOrganization
/** The variables that the pages use. */
let variables: Record<string, string>

beforeAll(async () => {
  docs = await createDocShell()
  service = await startTestService({ embeddingModel: await loadBuiltinModel() })
  organization = await service.organization()
  variables = {
    MEMORY_URL: service.url,
    MEMORY_API_KEY: organization.adminKey,
    OPERATOR_TOKEN,
    ORGANIZATION: organization.id,
    WORKSPACE: organization.id,
    SOURCE: organization.sources.notion,
    TOKEN: await developerToken(),
  }
})
afterAll(async () => {
  await service.close()
  await docs.close()
})

/** A token of the development issuer, for an owner of the workspace. */
async function developerToken(): Promise<string> {
  const token = (await shell('npm run -s memory -- token', { MEMORY_URL: service.url })).trim()
  const { body } = await service.call('GET', '/v1/console/me', { key: token })
  await addMember(service.database.db, {
    organizationId: organization.id,
    userId: body.user.id,
    role: 'owner',
    at: new Date(),
  })
  return token
}

const shell = (code: string, env: Record<string, string>): Promise<string> => docs.shell(code, { env })

/** Runs a block as a reader who copies it. @returns its output */
async function copied(page: string, name: string, more: Record<string, string> = {}): Promise<string> {
  return await shell(testedBlock(await readPage(page), name), { ...variables, ...more })
}

const parsed = async (...args: Parameters<typeof copied>) => Answer.parse(JSON.parse(await copied(...args)))

/** Runs the blocks as one TypeScript program. @returns its output */
async function program(page: string, names: readonly string[], between = ''): Promise<string> {
  const text = await readPage(page)
  const code = names.map((name) => testedBlock(text, name)).join(`\n${between}\n`)
  const file = path.join(docs.home, 'program.ts')
  const printed = `${code}\nconsole.log('done')\n`
  await writeFile(file, withUrl(printed.replaceAll('@retrieval-memory/client', CLIENT)))
  return await shell(`node ${file}`, variables)
}

const withUrl = (code: string): string =>
  code.replaceAll(/https:\/\/memory\.example\.com|http:\/\/127\.0\.0\.1:8787/g, service.url)

async function python(page: string, name: string, ending = ''): Promise<string> {
  const file = path.join(docs.home, 'program.py')
  await writeFile(file, withUrl(testedBlock(await readPage(page), name)) + ending)
  return await shell(`python3 ${file}`, variables)
}

// In this order: later samples use what the first ones stored, as a reader would.
describe('docs/reference/export-format.md', () => {
  it("has an item's line with the fields of a real one", async () => {
    const workspace = await service.organization()
    await push(
      service,
      workspace,
      documentOf(workspace, { metadata: { accessPolicy: { visibility: 'public' } } }),
    )
    const { text } = await service.call('POST', '/v1/export', { key: workspace.adminKey })
    const lines = text.trimEnd().split('\n')
    const shown: unknown = JSON.parse(
      testedBlock(await readPage(`${REFERENCE}/export-format.md`), 'export format'),
    )
    const real: unknown = JSON.parse(lines[1] ?? '')
    expect(fieldsOf(real)).toEqual(fieldsOf(shown))
    expect(lines[2]).toBe('{"end":true}')
  })
})

/** The names of all fields, in order. */
function fieldsOf(value: unknown): string[] {
  const names: string[] = []
  JSON.stringify(value, (name, inner: unknown) => {
    names.push(name)
    return inner
  })
  return names
}

describe('README.md', () => {
  it('stores a document and answers from it', async () => {
    const code = testedBlock(await readPage('README.md'), 'README').replaceAll('localhost:8787', service.url)
    expect(await shell(code, variables)).toContain(
      '"answer":"Employees accrue 25 days of paid time off per year. [1]',
    )
  })
})

describe('docs/reference', () => {
  it('evaluates questions with the documented output', async () => {
    const page = 'docs/guides/measure-search.md'
    // A repeated run would compare with the first one.
    await rm(path.join(docs.home, 'questions.csv.last-run.json'), { force: true })
    await writeFile(
      path.join(docs.home, 'questions.csv'),
      'question,page,fact\nHow many vacation days do I get?,PTO policy,25 days\nWho approves travel?,Travel policy,\n',
    )
    const output = await docs.copied(page, 'evaluate', { env: variables, cwd: docs.home })
    expect(output).toBe(testedBlock(await readPage(page), 'evaluate, output'))
  })

  it('measures a collection', async () => {
    const collection = path.join(docs.home, 'collections/handbook')
    await mkdir(collection, { recursive: true })
    const [desk, travel] = [
      { id: 'desks', title: 'Desks', text: 'Every desk can be raised.' },
      { id: 'travel', title: 'Travel', text: 'The team lead approves every trip.' },
    ]
    const lines = (...values: object[]): string => values.map((value) => JSON.stringify(value)).join('\n')
    await writeFile(path.join(collection, 'corpus.jsonl'), lines(desk, travel))
    await writeFile(path.join(collection, 'queries.jsonl'), lines({ id: 'q', text: 'Who approves a trip?' }))
    await writeFile(path.join(collection, 'qrels.tsv'), 'q\ttravel\t1\n')
    const output = await docs.copied('docs/guides/measure-search.md', 'evaluate a collection')
    for (const word of ['nDCG@10', 'recall@10', 'MRR@10', 'BM25']) expect(output).toContain(word)
  })

  it('searches, asks, lists, and draws the canvas', async () => {
    const { hits } = await parsed(`${REFERENCE}/retrieval.md`, 'search the search page')
    expect(JSON.stringify(hits)).toContain('PTO policy')
    const { answer } = await parsed(`${REFERENCE}/answers.md`, 'ask the answers page')
    const shown = codeBlocks(await readPage(`${REFERENCE}/answers.md`))[1]?.code ?? ''
    expect(answer).toBe(Answer.parse(JSON.parse(shown))['answer'])
    expect(await copied(`${REFERENCE}/memory-canvas.md`, 'canvas')).toContain('"nodes":')
  })

  it('stores a document', async () => {
    const shown = testedBlock(await readPage(`${REFERENCE}/ingest.md`), 'ingest, output')
    expect(await parsed(`${REFERENCE}/ingest.md`, 'ingest')).toEqual(JSON.parse(shown))
    const { sourceItems } = await parsed(`${REFERENCE}/ingest.md`, 'list items')
    expect(JSON.stringify(sourceItems)).toContain('handbook/holidays')
  })

  it('creates a key with the documented fields', async () => {
    const { apiKey, secret } = await parsed(`${REFERENCE}/keys.md`, 'create a key')
    expect(secret).toMatch(/^svc_/)
    const shown = codeBlocks(await readPage(`${REFERENCE}/keys.md`))[1]?.code ?? ''
    expect(Object.keys(Answer.parse(apiKey)).toSorted()).toEqual(
      Object.keys(Answer.parse(Answer.parse(JSON.parse(shown))['apiKey'])).toSorted(),
    )
    expect(await copied(`${REFERENCE}/keys.md`, 'development token')).toContain('developer@localhost')
  })

  it('creates a webhook, sets a plan, and uploads a file', async () => {
    expect(await copied(`${REFERENCE}/webhooks.md`, 'create webhook')).toMatch(/"secret":"whsec_/)
    expect(await copied(`${REFERENCE}/operator.md`, 'set plan')).toContain('"studio"')
    const code = testedBlock(await readPage(`${REFERENCE}/console-routes.md`), 'upload.js')
    const file = path.join(docs.home, 'upload.mjs')
    const [source, token] = [organization.sources.notion, variables['TOKEN'] ?? ''].map((one) =>
      JSON.stringify(one),
    )
    await writeFile(
      file,
      `const source = ${source}, token = ${token}
       const file = new File(['The door code is 4711.'], 'door.txt', { type: 'text/plain' })
       const answer = ${code.replace('`/v1', `\`${service.url}/v1`)}
       console.log(answer.status)`,
    )
    expect((await run(process.execPath, [file])).stdout.trim()).toMatch(/^20[01]$/)
  })

  it('has working clients', async ({ skip }) => {
    expect(await program(`${REFERENCE}/clients.md`, ['client.ts'])).toBe('done\n')
    const readme = await program('client/README.md', ['client README', 'client README, stream'])
    expect(readme).toContain('PTO policy')
    const documents = `const documents = [{ connectorId: '${organization.sources.notion}', provider: 'notion' as const,
      sourceKind: 'document' as const, externalId: 'a', title: 'A', body: 'b' }]`
    expect(await program('client/README.md', ['client README', 'client README, ingest'], documents)).toBe(
      '1\ndone\n',
    )
    if (!docs.hasPython) skip('there is no Python with httpx')
    expect(await python(`${REFERENCE}/clients.md`, 'client.py')).toContain('25 days')
    const both = await python(
      'client/python/README.md',
      'python README',
      'import asyncio\nasyncio.run(main())\n',
    )
    expect(both).toContain('PTO policy')
  })
})

describe('docs/explanation/permissions.md', () => {
  it('enforces permissions, puts a group, and searches on behalf of a person', async () => {
    expect(await copied(PERMISSIONS, 'enforce permissions')).toContain('"permissions":"enforced"')
    expect(await copied(PERMISSIONS, 'put group')).toContain('"legal"')
    expect(await parsed(PERMISSIONS, 'search as Ada')).toMatchObject({ hits: [] })
  })
})

describe('the samples for connected sources', () => {
  let connected: ConnectedService
  beforeAll(async () => {
    connected = await startConnectedService({ service: { sleep: sleepBriefly } })
  })
  afterAll(() => connected.close())

  it('chooses Slack channels, and sets the audience of a mailbox', async () => {
    const { organization: workspace, owner } = await connected.workspace()
    const slack = await connected.connect(owner, workspace.id, 'slack')
    const own = { MEMORY_URL: connected.url, MEMORY_API_KEY: workspace.adminKey, TOKEN: owner.token }
    const [channel = ''] = connected.emulators.slack.state.channels().map(({ id }) => id)
    const page = `${REFERENCE}/connectors/slack.md`
    const code = testedBlock(await readPage(page), 'allowlist').replaceAll('C0123456789', channel)
    const printed = await shell(code, { ...variables, ...own, SOURCE_ID: slack })
    expect(printed).toContain(`"channelAllowlist":["${channel}"]`)
    await connected.grant(workspace.id, 'gmail')
    const gmail = await connected.connect(owner, workspace.id, 'gmail')
    await copied(PERMISSIONS, 'set audience', { ...own, SOURCE: gmail })
    const { body } = await connected.call('GET', '/v1/audit-events', { key: workspace.adminKey })
    expect(body.auditEvents[0]).toMatchObject({
      action: 'source.audience.update',
      metadata: { audience: ['ada@example.com'] },
    })
  })
})

describe('docs/reference/emulators.md', () => {
  let emulators: Emulators
  beforeAll(async () => {
    emulators = await startEmulators()
  })
  afterAll(() => emulators.close())

  it('changes the emulators', async () => {
    const { slack, google, notion } = emulators
    const code = testedBlock(await readPage(`${REFERENCE}/emulators.md`), 'change the emulators')
      .replace('http://127.0.0.1:8801', slack.url)
      .replace('http://127.0.0.1:8802', google.url)
      .replace('http://127.0.0.1:8803', notion.url)
      .replaceAll('curl -s', 'curl -sf')
    expect(await shell(code, variables)).not.toContain('"error"')
  })
})
