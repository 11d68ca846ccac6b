import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmulatedService, type SeenRequest, startEmulatedService } from '../support/emulated-service.ts'
import { type CommandResult, runCommand, startCommand } from '../support/run-command.ts'
import { sampleDocx, sampleOdt, samplePdf } from '../../test/support/sample-files.ts'
import { until } from '../../test/support/until.ts'

let service: EmulatedService
let home = ''
let folder = ''

beforeEach(async () => {
  service = await startEmulatedService()
  home = await mkdtemp(path.join(os.tmpdir(), 'import-'))
  folder = path.join(home, 'handbook')
  await mkdir(folder)
})
afterEach(async () => {
  await service.close()
  await rm(home, { recursive: true })
})

const environment = (): Record<string, string> => ({
  MEMORY_URL: service.url,
  MEMORY_API_KEY: service.key,
  XDG_STATE_HOME: path.join(home, 'state'),
})
const write = (file: string, content: string | Buffer): Promise<void> =>
  writeFile(path.join(folder, file), content)
const importFolder = (...options: string[]): Promise<CommandResult> =>
  runCommand(['import', folder, ...options], environment())
const ingests = (): SeenRequest[] => service.requests.filter((request) => request.path === '/v1/ingest')
const untilIngests = (count: number): Promise<number> =>
  until(
    `${count} ingests`,
    () => ingests().length,
    (seen) => seen >= count,
  )

function sentIds(request: SeenRequest): string[] {
  return [...JSON.stringify(request.body).matchAll(/"externalId":"([^"]*)"/g)].map((match) => match[1] ?? '')
}

async function writeMany(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await write(`file-${String(index).padStart(4, '0')}.md`, `# Title ${index}\n\nText ${index}.`)
  }
}

describe('memory import', () => {
  it('pushes every kind of file with its title, path and text', async () => {
    await mkdir(path.join(folder, 'sub'))
    await write('a.md', '# Alpha\n\nText of alpha.')
    await write('sub/README.txt', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]))
    await write('b.html', '<title>Beta</title><script>no()</script><p>Text of beta.</p>')
    await write('c.pdf', samplePdf('Text of gamma.', 'Gamma'))
    await write('d.docx', await sampleDocx('Delta', 'Text of delta.'))
    await write('ignored.gif', 'x')
    await utimes(path.join(folder, 'a.md'), 1_700_000_000, 1_700_000_000)
    const result = await importFolder()
    expect(result).toMatchObject({ code: 0 })
    expect(result.stderr).toContain('Google Drive (push) (google_drive')
    expect(result.stdout).toMatch(/5 documents stored/)
    const stored = [...service.items.values()].map(({ externalId, title, body }) => [externalId, title, body])
    expect(stored).toEqual([
      ['handbook/a.md', 'Alpha', '# Alpha\n\nText of alpha.'],
      ['handbook/b.html', 'Beta', 'Text of beta.'],
      ['handbook/c.pdf', 'Gamma', 'Text of gamma.'],
      ['handbook/d.docx', 'Delta', '# Delta\n\nText of delta.'],
      ['handbook/sub/README.txt', 'sub', 'Grüße'],
    ])
    expect(service.items.get('handbook/a.md')).toMatchObject({
      connectorId: service.sourceId,
      provider: 'google_drive',
      sourceKind: 'document',
      sourceUpdatedAt: '2023-11-14T22:13:20.000Z',
      metadata: { path: 'handbook/a.md', folder: 'handbook', fileType: 'markdown' },
    })
  })

  it('reads spreadsheets, emails and OpenDocument, and reports skipped files by type', async () => {
    await write('costs.csv', 'Item,Cost\nDesk,1200\n')
    await write('hello.eml', 'From: a@example.com\r\nSubject: Hello\r\n\r\nHi there.')
    await write(
      'plan.odt',
      await sampleOdt('<text:h text:outline-level="1">Plan</text:h><text:p>Move.</text:p>'),
    )
    for (const other of ['a.gif', 'b.gif', 'c.ts', '.hidden', 'Makefile']) await write(other, 'x')
    const result = await importFolder()
    expect(result).toMatchObject({ code: 0 })
    const stored = [...service.items.values()]
    expect(stored.map(({ title, body, sourceKind }) => [title, body, sourceKind])).toEqual([
      ['costs', '- Item: Desk; Cost: 1200', 'file'],
      ['Hello', 'From: a@example.com\n\nHi there.', 'message'],
      ['Plan', '# Plan\n\nMove.', 'document'],
    ])
    expect(result.stdout).toMatch(/ 5 skipped: 2 \.gif, 1 \.ts, 1 hidden, 1 without an extension\n/)
    expect(result.stderr).toContain('Nothing is sent to Google Drive.')
  })

  it('explains a corrupt file and a broken link in plain words', async () => {
    await write('bad.pdf', 'no pdf at all')
    await write('bad.docx', 'PK broken')
    await write('bad.odt', 'no zip')
    await symlink('gone.md', path.join(folder, 'link.md'))
    const { stdout, code } = await importFolder()
    expect(code).toBe(1)
    expect(stdout).toMatch(/bad\.pdf: The file cannot be read: it is not a PDF, or it is damaged/)
    expect(stdout).toMatch(/bad\.docx: The file cannot be read: it is not an Office file, or it is damaged/)
    expect(stdout).toMatch(/bad\.odt: The file cannot be read: it is not an Office file, or it is damaged/)
    expect(stdout).toContain('link.md: it is a link to gone.md, which does not exist')
  })

  it('maps a file to the same item from any of its folders and any working directory', async () => {
    const deep = path.join(folder, 'sub', 'deep')
    await mkdir(deep, { recursive: true })
    await write('a.md', '# A')
    await write('sub/deep/b.md', '# B')
    await importFolder()
    const ids = ['handbook/a.md', 'handbook/sub/deep/b.md']
    expect([...service.items.keys()]).toEqual(ids)
    await write('sub/deep/b.md', '# B, changed')
    await write('sub/deep/new.md', '# New')
    for (const [given, cwd] of [
      ['b.md', deep],
      ['sub/deep', folder],
      ['.', deep],
      [path.join(folder, 'a.md'), home],
    ] as const) {
      expect(await runCommand(['import', given], { ...environment(), INIT_CWD: cwd })).toMatchObject({
        code: 0,
      })
    }
    expect([...service.items.keys()].toSorted()).toEqual([...ids, 'handbook/sub/deep/new.md'])
    expect(service.items.get('handbook/sub/deep/b.md')?.title).toBe('B, changed')
  })

  it('keeps the item of a file that was imported before its folder', async () => {
    await mkdir(path.join(folder, 'sub'))
    await write('sub/b.md', '# B')
    await runCommand(['import', path.join(folder, 'sub', 'b.md')], environment())
    await write('sub/c.md', '# C')
    await write('sub/b.md', '# B, changed')
    await importFolder()
    expect([...service.items.keys()].toSorted()).toEqual(['handbook/sub/c.md', 'sub/b.md'])
    expect(service.items.get('sub/b.md')?.title).toBe('B, changed')
    await rm(path.join(folder, 'sub', 'b.md'))
    expect(JSON.parse((await importFolder('--delete-missing', '--json')).stdout)).toMatchObject({
      removed: 1,
    })
    expect([...service.items.keys()]).toEqual(['handbook/sub/c.md'])
  })

  it('recognizes what the previous version stored: the same items, and surplus parts', async () => {
    await write('a.md', '# A')
    await write('b.md', '# B')
    await importFolder()
    const states = path.join(home, 'state', 'retrieval-memory', 'imports')
    const [name = ''] = await readdir(states)
    const { root, files } = JSON.parse(await readFile(path.join(states, name), 'utf8'))
    const former = { ...files, 'a.md': { ...files['a.md'], parts: 2 } }
    await writeFile(path.join(states, name), JSON.stringify({ version: 1, root, files: former }))
    await runCommand(['import', path.join(folder, 'a.md')], environment())
    expect([...service.items.keys()]).toEqual(['handbook/a.md', 'handbook/b.md'])
    expect(
      service.requests.filter(({ method }) => method === 'DELETE').map((request) => request.path),
    ).toEqual(['/v1/source-items?provider=google_drive&externalId=handbook%2Fa.md%23part-2'])
  })

  it('resends only what has changed', async () => {
    await writeMany(3)
    await importFolder()
    await write('file-0001.md', '# New\n\nOther text.')
    await utimes(path.join(folder, 'file-0002.md'), 1, 1)
    const result = JSON.parse((await importFolder('--json')).stdout)
    expect(result).toMatchObject({ ingested: 1, skipped: 0, unchanged: 2, failed: [], complete: true })
    expect(ingests().map(sentIds)).toEqual([
      ['handbook/file-0000.md', 'handbook/file-0001.md', 'handbook/file-0002.md'],
      ['handbook/file-0001.md'],
    ])
    const forced = JSON.parse((await importFolder('--force', '--json')).stdout)
    expect(forced).toMatchObject({ unchanged: 0 })
    expect(ingests()).toHaveLength(3)
  })

  it('sends batches of at most 100 documents and 2 MiB', async () => {
    await writeMany(150)
    for (const name of ['x1', 'x2', 'x3']) await write(`${name}.txt`, 'word '.repeat(180_000))
    expect((await importFolder()).code).toBe(0)
    expect(ingests().map((request) => sentIds(request).length)).toEqual([100, 52, 1])
    expect(service.items.size).toBe(153)
  })

  it('reports each bad file, stores the rest and exits with code 1', async () => {
    await write('good.md', '# Good\n\nText.')
    await write('bad.pdf', '%PDF-1.4 broken')
    await write('bad.docx', 'PK broken')
    await write('binary.txt', Buffer.from([1, 0, 2, 0]))
    await write('empty.md', ' \n')
    const result = await importFolder()
    expect(result.code).toBe(1)
    expect([...service.items.keys()]).toEqual(['handbook/good.md'])
    for (const file of ['bad.pdf', 'bad.docx', 'binary.txt'])
      expect(result.stdout).toMatch(new RegExp(`${file}: .+`))
    expect(result.stdout).toMatch(/Without text:\n {2}empty.md/)
  })

  it('finds the one document of a batch that the service refuses, and stores the others', async () => {
    await writeMany(20)
    service.intercept = (request) =>
      request.path === '/v1/ingest' && sentIds(request).includes('handbook/file-0007.md')
        ? { status: 400, body: { error: 'documents: title too odd', code: 'validation_failed' } }
        : undefined
    const result = await importFolder()
    expect(result.code).toBe(1)
    expect(service.items.size).toBe(19)
    expect(result.stdout).toContain('file-0007.md: documents: title too odd (validation_failed)')
  })

  it('waits as long as the service asks, and retries failures', async () => {
    await writeMany(1)
    const troubles = [
      { status: 429, body: { error: 'Slow down', code: 'rate_limited' }, headers: { 'retry-after': '1' } },
      { status: 503, body: { error: 'Busy', code: 'overloaded' } },
      'reset' as const,
    ]
    service.intercept = (request) => (request.path === '/v1/ingest' ? troubles.shift() : undefined)
    const startedAt = performance.now()
    const result = await importFolder()
    expect(result.code).toBe(0)
    expect(performance.now() - startedAt).toBeGreaterThan(1_000)
    expect(result.stderr).toContain('Waiting 1 s: rate limit')
    expect(service.items.size).toBe(1)
  })

  it("stops on an error that affects every document, with the service's message", async () => {
    await writeMany(3)
    service.intercept = (request) =>
      request.path === '/v1/ingest'
        ? { status: 403, body: { error: 'Not with this key', code: 'action_not_allowed' } }
        : undefined
    const result = await importFolder()
    expect(result).toMatchObject({ code: 1 })
    expect(result.stderr).toContain('Error: Not with this key (action_not_allowed)')
    expect(ingests()).toHaveLength(1)
  })

  it('resumes after a kill with the documents that were not acknowledged', async () => {
    await writeMany(250)
    service.intercept = () => (ingests().length === 3 ? 'hang' : undefined)
    const running = startCommand(['import', folder], environment())
    await untilIngests(3)
    running.child.kill('SIGKILL')
    expect((await running.done).signal).toBe('SIGKILL')
    expect(service.items.size).toBe(200)
    service.intercept = () => undefined
    const result = JSON.parse((await importFolder('--json')).stdout)
    expect(result).toMatchObject({ failed: [], complete: true })
    expect(result.ingested).toBe(50)
    expect(service.items.size).toBe(250)
  })

  it('stops cleanly on Ctrl-C, and resumes from there', async () => {
    await writeMany(250)
    service.intercept = (request) => {
      if (request.path !== '/v1/ingest' || ingests().length < 3) return undefined
      return {
        status: 429,
        body: { error: 'Slow down', code: 'rate_limited' },
        headers: { 'retry-after': '60' },
      }
    }
    const running = startCommand(['import', folder], environment())
    await untilIngests(3)
    await new Promise((resolve) => setTimeout(resolve, 100))
    running.child.kill('SIGINT')
    const stopped = await running.done
    expect(stopped.code).toBe(130)
    expect(stopped.stdout).toContain('Run the same command again')
    service.intercept = () => undefined
    const before = ingests().length
    const result = JSON.parse((await importFolder('--json')).stdout)
    expect(result).toMatchObject({ ingested: 50, unchanged: 200, complete: true })
    expect(
      ingests()
        .slice(before)
        .map((request) => sentIds(request).length),
    ).toEqual([50])
  })

  it('continues when the reader of its notes has gone away', async () => {
    await writeMany(1)
    const command = startCommand(['import', folder], environment())
    command.child.stderr?.destroy()
    expect(await command.done).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 document stored'),
    })
    expect(ingests()).toHaveLength(1)
  })

  it('splits a text above 1 MiB into numbered parts, and deletes surplus ones of a shortened text', async () => {
    await write('long.txt', 'A paragraph of some words.\n\n'.repeat(90_000))
    await importFolder()
    expect([...service.items.values()].map(({ externalId, title }) => [externalId, title])).toEqual([
      ['handbook/long.txt', 'long (part 1)'],
      ['handbook/long.txt#part-2', 'long (part 2)'],
      ['handbook/long.txt#part-3', 'long (part 3)'],
    ])
    await write('long.txt', 'Short now.')
    await importFolder()
    expect([...service.items.values()].map(({ externalId, title }) => [externalId, title])).toEqual([
      ['handbook/long.txt', 'long'],
    ])
  })

  it('deletes the items of missing files only on request', async () => {
    await writeMany(3)
    await importFolder()
    await rm(path.join(folder, 'file-0001.md'))
    await importFolder()
    expect(service.items.size).toBe(3)
    const result = JSON.parse((await importFolder('--delete-missing', '--json')).stdout)
    expect(result.removed).toBe(1)
    expect([...service.items.keys()]).toEqual(['handbook/file-0000.md', 'handbook/file-0002.md'])
  })

  it('keeps the items of files that it passes over, for they are not missing', async () => {
    await write('a.md', '# A')
    await write('.hidden.md', '# Hidden')
    await write('moved.md', '# Moved')
    for (const name of ['real', 'replaced']) await mkdir(path.join(folder, name))
    await write('real/b.md', '# B')
    await write('replaced/c.md', '# C')
    await importFolder('--include-hidden')
    await symlink(path.join(folder, 'real'), path.join(folder, 'link'))
    await rm(path.join(folder, 'replaced'), { recursive: true })
    await write('replaced', 'x')
    await rename(path.join(folder, 'moved.md'), path.join(folder, 'target.md'))
    const result = JSON.parse((await importFolder('--delete-missing', '--json')).stdout)
    // The folder is now entered by its link, whose name comes first.
    expect(result.removed).toBe(3)
    expect([...service.items.keys()].toSorted()).toEqual([
      'handbook/.hidden.md',
      'handbook/a.md',
      'handbook/link/b.md',
      'handbook/target.md',
    ])
  })

  it('keeps two folders with the same name apart', async () => {
    await write('a.md', '# A')
    await importFolder()
    const other = path.join(home, 'other', 'handbook')
    await mkdir(other, { recursive: true })
    await writeFile(path.join(other, 'a.md'), '# Other')
    const refused = await runCommand(['import', other], environment())
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain('--prefix')
    expect((await runCommand(['import', other, '--prefix', 'second'], environment())).code).toBe(0)
    expect([...service.items.keys()]).toEqual(['handbook/a.md', 'second/a.md'])
  })

  it('imports one file, relative to the working directory', async () => {
    await write('one.md', '# One')
    const result = await runCommand(['import', 'handbook/one.md'], { ...environment(), INIT_CWD: home })
    expect(result.code).toBe(0)
    expect([...service.items.keys()]).toEqual(['handbook/one.md'])
  })

  it('needs no list of sources when source and provider are given', async () => {
    await write('one.md', '# One')
    const chosen = ['--source', service.sourceId, '--provider', 'notion']
    expect((await importFolder(...chosen)).code).toBe(0)
    expect(service.requests.map((request) => request.path)).toEqual(['/v1/ingest'])
    expect(service.items.get('handbook/one.md')?.provider).toBe('notion')
  })

  it('reports a missing path as a usage error, and a provider without a source as a failure', async () => {
    expect((await runCommand(['import', path.join(home, 'nowhere')], environment())).code).toBe(2)
    expect((await importFolder('--provider', 'Drop box')).code).toBe(2)
    const noSource = await importFolder('--provider', 'slack')
    expect(noSource).toMatchObject({ code: 1 })
    expect(noSource.stderr).toContain('no source of slack')
  })

  it('starts over when its state is damaged', async () => {
    await write('a.md', '# A')
    await importFolder()
    const state = path.join(home, 'state', 'retrieval-memory', 'imports')
    for (const file of await readdir(state)) await writeFile(path.join(state, file), '{"version":1,')
    const result = JSON.parse((await importFolder('--json')).stdout)
    expect(result).toMatchObject({ ingested: 0, skipped: 1, unchanged: 0 })
  })

  it('ends at once on a second Ctrl-C', async () => {
    await writeMany(1)
    service.intercept = (request) => (request.path === '/v1/ingest' ? 'hang' : undefined)
    const running = startCommand(['import', folder], environment())
    await untilIngests(1)
    running.child.kill('SIGINT')
    if (running.child.stderr === null) throw new Error('no stderr')
    await once(running.child.stderr, 'data')
    running.child.kill('SIGINT')
    expect((await running.done).code).toBe(130)
  })
})
