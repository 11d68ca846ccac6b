import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type CannedResponse,
  type EmulatedService,
  startEmulatedService,
} from '../support/emulated-service.ts'
import { type CommandResult, runCommand } from '../support/run-command.ts'

let service: EmulatedService
beforeAll(async () => {
  service = await startEmulatedService()
})
afterAll(() => service.close())
beforeEach(() => {
  service.requests.length = 0
})

const memory = (...args: string[]): Promise<CommandResult> =>
  runCommand(args, { MEMORY_URL: service.url, MEMORY_API_KEY: service.key })
const requested = () => service.requests.map(({ method, path }) => `${method} ${path}`)
const ok = (body: unknown): CannedResponse => ({ status: 200, body })

const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
const aDocument = (n: number, values: Record<string, unknown> = {}) => ({
  id: idOf(n),
  provider: 'notion',
  connectorId: service.sourceId,
  sourceKind: 'document',
  externalId: `page-${n}`,
  title: `Page ${n}`,
  url: null,
  authorName: null,
  sourceUpdatedAt: null,
  updatedAt: '2026-11-01T10:00:00.000Z',
  syncedAt: '2026-11-01T10:00:00.000Z',
  ...values,
})

/** Serves these documents as a paged list, and each by id with a text. */
function store(documents: ReturnType<typeof aDocument>[], pageSize = 2, body = 'The text.'): void {
  service.intercept = ({ path }) => {
    const url = new URL(path, service.url)
    const id = url.pathname.split('/')[3]
    const one = documents.find((document) => document.id === id)
    if (id !== undefined) {
      if (one === undefined)
        return { status: 404, body: { error: 'There is no such item', code: 'not_found' } }
      return ok({ sourceItem: { ...one, body, sourceCreatedAt: null, metadata: {} } })
    }
    const start = Number(url.searchParams.get('cursor') ?? 0)
    const sourceItems = documents.slice(start, start + pageSize)
    const next = start + pageSize
    return ok({ sourceItems, nextCursor: next < documents.length ? String(next) : null })
  }
}

describe('memory documents list', () => {
  it('shows a page in aligned columns, and says when there is more', async () => {
    store([
      aDocument(1, { title: 'A\u001b[2J\nB' }),
      aDocument(2, { provider: 'google_drive' }),
      aDocument(3),
    ])
    const { stdout, stderr, code } = await memory('documents', 'list')
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'ID                                    PROVIDER      KIND      CHANGED           TITLE',
      `${idOf(1)}  notion        document  2026-11-01 10:00  A[2J B`,
      `${idOf(2)}  google_drive  document  2026-11-01 10:00  Page 2`,
      '',
    ])
    expect(stderr).toContain('--all')
    expect(requested()).toEqual(['GET /v1/source-items'])
  })

  it('passes on provider, source, kind and limit', async () => {
    store([])
    const { stdout } = await memory(
      'documents',
      'list',
      '--provider',
      'slack',
      '--source',
      service.sourceId,
      '--kind',
      'file',
      '-n',
      '7',
    )
    expect(stdout).toBe('No documents.\n')
    const query = new URL(service.requests[0]?.path ?? '', service.url).searchParams
    expect(Object.fromEntries(query)).toEqual({
      provider: 'slack',
      connectorId: service.sourceId,
      sourceKind: 'file',
      limit: '7',
    })
  })

  it('lists all pages with --all in the same columns, and waits out a rate limit', async () => {
    store([1, 2, 3, 4, 5].map((n) => aDocument(n)))
    const pages = service.intercept
    let refusals = 1
    service.intercept = (request) =>
      request.path.includes('cursor=2') && refusals-- > 0
        ? { status: 429, body: { error: 'Too many', code: 'rate_limited' }, headers: { 'retry-after': '1' } }
        : pages(request)
    const { stdout, stderr, code } = await memory('documents', 'list', '--all')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Waiting 1 s: rate limit\n' })
    const titles = stdout.trimEnd().split('\n').slice(1)
    expect(titles.map((line) => line.slice(-6))).toEqual([1, 2, 3, 4, 5].map((n) => `Page ${n}`))
    const whole = JSON.parse((await memory('documents', 'list', '--all', '--json')).stdout)
    expect(whole).toEqual({ sourceItems: [1, 2, 3, 4, 5].map((n) => aDocument(n)), nextCursor: null })
  })

  it("prints the service's answer as JSON", async () => {
    store([aDocument(1), aDocument(2), aDocument(3)])
    const { stdout } = await memory('documents', 'list', '--json')
    expect(JSON.parse(stdout)).toEqual({ sourceItems: [aDocument(1), aDocument(2)], nextCursor: '2' })
  })

  it.each([
    ['--limit', '0'],
    ['--limit', '201'],
    ['--limit', '5', '--all'],
    ['--kind', 'mail'],
    ['--provider', 'Drop box'],
    ['--source', 'x'],
  ])('reports a usage error: %j %j', async (...args) => {
    expect(await memory('documents', 'list', ...args)).toMatchObject({ code: 2 })
    expect(requested()).toEqual([])
  })
})

describe('memory documents open', () => {
  it("shows a document's source, link and text, without control sequences", async () => {
    const values = {
      title: 'PTO \u001b]0;owned\u0007policy',
      url: 'https://example.com/pto\u001b[31m',
      authorName: 'Ada\u009b',
      sourceUpdatedAt: '2026-10-01T08:00:00.000Z',
    }
    store([aDocument(1, values)], 2, `${'Employees accrue 25 days. '.repeat(8)}\r\n\r\n\u001b[2JEnd\u0008`)
    const { stdout, code } = await memory('documents', 'open', idOf(1).toUpperCase())
    expect(code).toBe(0)
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    const lines = stdout.split('\n')
    expect(lines.slice(0, 5)).toEqual([
      'PTO ]0;ownedpolicy',
      'notion · document · page-1 · Ada',
      'https://example.com/pto[31m',
      'written 2026-10-01 08:00, changed here 2026-11-01 10:00 UTC',
      idOf(1),
    ])
    expect(lines.at(-2)).toBe('[2JEnd')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
    expect(requested()).toEqual([`GET /v1/source-items/${idOf(1)}`])
  })

  it("finds it by the start of its id, its title or its external id, and prints the service's answer as JSON", async () => {
    store([aDocument(1), aDocument(2, { title: 'Vacation Policy' }), aDocument(3), aDocument(44)])
    for (const words of [['00000002-00'], ['vacation', 'policy'], ['page-2']]) {
      const { stdout } = await memory('documents', 'open', ...words, '--json')
      expect(JSON.parse(stdout).sourceItem).toMatchObject({ id: idOf(2), body: 'The text.' })
    }
  })

  it('opens nothing when none or several match', async () => {
    store([aDocument(1, { title: 'Notes' }), aDocument(2), aDocument(3, { title: 'notes' })])
    const several = await memory('documents', 'open', 'Notes')
    expect(several).toMatchObject({ code: 1, stdout: '' })
    expect(several.stderr).toContain(
      `Error: "Notes" means several:\n  ${idOf(1)}  notion  2026-11-01 10:00  Notes\n`,
    )
    expect((await memory('documents', 'open', '0000')).stderr).toContain('means several')
    const none = await memory('documents', 'open', 'Not\u001bhing')
    expect(none).toMatchObject({ code: 1, stderr: 'Error: No document is called "Nothing".\n' })
    expect((await memory('documents', 'open', idOf(9))).stderr).toContain('There is no such item (not_found)')
  })
})
