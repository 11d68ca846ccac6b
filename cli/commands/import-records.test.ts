import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmulatedService, type SeenRequest, startEmulatedService } from '../support/emulated-service.ts'
import { type CommandResult, runCommand } from '../support/run-command.ts'

let service: EmulatedService
let home = ''

beforeEach(async () => {
  service = await startEmulatedService()
  home = await mkdtemp(path.join(os.tmpdir(), 'records-'))
})
afterEach(async () => {
  await service.close()
  await rm(home, { recursive: true })
})

async function importFile(name: string, content: string, ...options: string[]): Promise<CommandResult> {
  const file = path.join(home, name)
  await writeFile(file, content)
  return await runCommand(['import', file, ...options], {
    MEMORY_URL: service.url,
    MEMORY_API_KEY: service.key,
    XDG_STATE_HOME: path.join(home, 'state'),
  })
}
const linesOf = (...values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const ingests = (): SeenRequest[] => service.requests.filter((request) => request.path === '/v1/ingest')

/** A page of mem0's `get_all` (platform, `POST /v2/memories/`). */
const MEM0_PAGE = {
  count: 2,
  next: null,
  previous: null,
  results: [
    {
      id: 'f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c',
      memory: 'Alex is planning a trip to San Francisco from July 1st to July 10th',
      user_id: 'alex',
      agent_id: null,
      metadata: { trip: true, accessPolicy: { visibility: 'public' } },
      categories: ['travel'],
      created_at: '2024-07-01T12:00:00Z',
      updated_at: '2024-07-01T05:00:00-07:00',
    },
    {
      id: 'a2b8c3d4',
      memory: 'Alex prefers vegetarian restaurants',
      metadata: null,
      created_at: '2024-07-05T15:30:00Z',
      updated_at: null,
    },
  ],
}

/** A page of supermemory's `POST /v3/documents/list` with `includeContent`. */
const SUPERMEMORY_PAGE = {
  memories: [
    {
      id: 'acxV5LHMEsG2hMSNb4umbn',
      customId: 'notes/1',
      connectionId: null,
      title: 'Notes of the planning',
      content: 'The launch is in May.',
      summary: 'A summary',
      type: 'text',
      status: 'done',
      metadata: { category: 'planning' },
      containerTags: ['user_123'],
      createdAt: '2025-05-01T00:00:00.000Z',
      updatedAt: '2025-05-02T00:00:00.000Z',
    },
    { id: 'b', customId: null, title: null, content: null, type: 'pdf', status: 'done', containerTags: [] },
  ],
  pagination: { currentPage: 1, limit: 10, totalItems: 2, totalPages: 1 },
}

describe('memory import of an export of mem0', () => {
  const stored = {
    'mem0/f4cbdb08-7062-4f3e-8eb2-9f5c80dfe64c': {
      provider: 'google_drive',
      sourceKind: 'document',
      title: 'Alex is planning a trip to San Francisco from July 1st to July 10th',
      body: 'Alex is planning a trip to San Francisco from July 1st to July 10th',
      sourceCreatedAt: '2024-07-01T12:00:00.000Z',
      sourceUpdatedAt: '2024-07-01T12:00:00.000Z',
      metadata: { trip: true, user_id: 'alex', categories: ['travel'] },
    },
    'mem0/a2b8c3d4': { title: 'Alex prefers vegetarian restaurants', sourceUpdatedAt: null, metadata: {} },
  }

  it.each([
    ['a page', JSON.stringify(MEM0_PAGE, null, 2)],
    ['pages, one per line', linesOf(MEM0_PAGE)],
    ['a list', JSON.stringify(MEM0_PAGE.results)],
    ['one memory per line', linesOf(...MEM0_PAGE.results)],
  ])('stores each memory of %s, without an access policy of its metadata', async (_name, content) => {
    const { code, stdout, stderr } = await importFile('memories.json', content)
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('an export of mem0') })
    expect(stdout).toMatch(/2 documents stored/)
    expect(Object.fromEntries(service.items)).toMatchObject(stored)
    expect(JSON.stringify(ingests())).not.toContain('accessPolicy')
  })
})

describe('memory import of an export of supermemory', () => {
  it('reads a file that begins with a byte order mark', async () => {
    for (const content of [JSON.stringify(MEM0_PAGE, null, 2), linesOf(...MEM0_PAGE.results)]) {
      const { code, stdout } = await importFile('mem0.json', `\ufeff${content}`)
      expect([code, stdout]).toEqual([0, expect.stringContaining('Imported')])
    }
    expect(service.items.size).toBe(2)
  })

  it('stores documents with content, and names the line of one without', async () => {
    const { code, stdout } = await importFile('documents.jsonl', linesOf(SUPERMEMORY_PAGE))
    expect(code).toBe(1)
    expect(stdout).toContain('line 1: it has no content; list the documents with includeContent: true')
    expect([...service.items.values()]).toMatchObject([
      {
        externalId: 'supermemory/notes/1',
        title: 'Notes of the planning',
        body: 'The launch is in May.',
        sourceCreatedAt: '2025-05-01T00:00:00.000Z',
        metadata: { category: 'planning', type: 'text', containerTags: ['user_123'] },
      },
    ])
  })

  it('splits a text that no document can hold', async () => {
    const [first] = SUPERMEMORY_PAGE.memories
    const content = `${'word '.repeat(250_000)}end`
    const { code } = await importFile('big.json', JSON.stringify([{ ...first, content }]))
    expect(code).toBe(0)
    expect([...service.items.keys()]).toEqual(['supermemory/notes/1', 'supermemory/notes/1#part-2'])
    expect([...service.items.values()].map(({ body }) => body).join('')).toBe(content)
  })
})

const HEADER = {
  format: 'retrieval-memory',
  version: 1,
  exportedAt: '2026-03-01T00:00:00.000Z',
  model: 'builtin-4',
  sources: [{ id: '00000000-0000-4000-8000-000000000009', provider: 'google_drive', displayName: 'Drive' }],
}
const END = { end: true }

function itemOf(externalId: string, more: object = {}) {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    connectorId: HEADER.sources[0]?.id,
    provider: 'google_drive',
    sourceKind: 'document',
    externalId,
    title: 'Title',
    body: 'Text',
    url: null,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: null,
    metadata: {},
    chunks: [{ heading: 'H', content: 'Text', vector: 'ADw=' }],
    ...more,
  }
}

describe('memory import of an export of a workspace', () => {
  it("sends items to the provider's push-only source with their vectors", async () => {
    const { code } = await importFile('workspace.jsonl', linesOf(HEADER, itemOf('a'), END))
    expect(code).toBe(0)
    const chunksSha256 = createHash('sha256').update('[["H","Text"]]').digest('hex')
    expect(service.items.get('a')).toMatchObject({
      connectorId: service.sourceId,
      externalId: 'a',
      embedding: { model: 'builtin-4', chunksSha256, vectors: 'ADw=' },
    })
    expect(service.items.get('a')).not.toHaveProperty('chunks')
  })

  it('names each wrong line, and stores the others', async () => {
    const refused = { path: 'documents.1.title', message: 'documents.1.title must not be empty' }
    service.intercept = ({ path: at, body }) =>
      at === '/v1/ingest' && JSON.stringify(body).includes('"title":""')
        ? { status: 400, body: { error: refused.message, code: 'validation_failed', issues: [refused] } }
        : undefined
    const content =
      linesOf(HEADER, itemOf('a'), itemOf('b', { title: '' })) +
      '{"broken\n' +
      linesOf(itemOf('c', { sourceKind: 'x' }), itemOf('d', { provider: 'notion' }), itemOf('e'), END)
    const { code, stdout } = await importFile('workspace.jsonl', content)
    expect(code).toBe(1)
    expect([...service.items.keys()]).toEqual(['a', 'e'])
    expect(stdout).toContain('line 3: title must not be empty (validation_failed)\n')
    expect(stdout).toContain('line 4: it is not JSON\n')
    expect(stdout).toContain('line 5: sourceKind: ')
    expect(stdout).toContain('line 6: the service has no source of notion; add it to PROVIDERS there\n')
  })

  it('sends documents again without vectors that do not fit, and without any for another model', async () => {
    service.intercept = ({ path: at, body }) => {
      const count = at === '/v1/ingest' ? JSON.stringify(body).split('"embedding"').length - 1 : 0
      if (count === 0) return undefined
      const issues = Array.from({ length: count }, (_, n) => {
        const field = `documents.${n}.embedding.model`
        return { path: field, message: `${field} must be the workspace's: "hash"` }
      })
      return { status: 400, body: { error: 'Refused', code: 'validation_failed', issues } }
    }
    const content = linesOf(HEADER, itemOf('a'), itemOf('b'), itemOf('a'), itemOf('c'), END)
    const { code, stdout } = await importFile('workspace.jsonl', content)
    expect(code).toBe(0)
    expect([...service.items.keys()].toSorted()).toEqual(['a', 'b', 'c'])
    expect(stdout).toContain(`to be embedded again: embedding.model must be the workspace's: "hash"`)
    expect(ingests().filter(({ body }) => JSON.stringify(body).includes('"embedding"')).length).toBeLessThan(
      3,
    )
  })

  it('says that a file without its last line is incomplete, and refuses one of a later version', async () => {
    const cut = await importFile('cut.jsonl', linesOf(HEADER, itemOf('a')))
    expect(cut).toMatchObject({ code: 1, stdout: expect.stringContaining('the file is incomplete') })
    expect([...service.items.keys()]).toEqual(['a'])
    const later = await importFile('later.jsonl', linesOf({ ...HEADER, version: 2 }, END))
    expect(later).toMatchObject({ code: 1, stderr: expect.stringContaining('The export has version 2') })
  })

  it('refuses a source, and a file that is no export', async () => {
    const named = await importFile('workspace.jsonl', linesOf(HEADER, END), '--source', service.sourceId)
    expect(named).toMatchObject({ code: 2, stderr: expect.stringContaining('do not apply') })
    for (const content of ['{"a":1}', '[1]', 'text', '']) {
      const none = await importFile('other.json', content)
      expect(none, content).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not an export'),
      })
    }
  })
})
