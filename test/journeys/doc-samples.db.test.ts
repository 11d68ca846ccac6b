import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'
import { readPage, ROOT, testedBlock } from '../support/doc-pages.ts'
import { createDocShell, type DocShell } from '../support/doc-shell.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

const CLIENT = path.join(ROOT, 'client/src/index.ts')

let service: TestService
let organization: TestOrganization
let shell: DocShell

beforeAll(async () => {
  service = await startTestService({ embeddingModel: await loadBuiltinModel() })
  organization = await service.organization()
  shell = await createDocShell()
})
afterAll(async () => {
  await service.close()
  await shell.close()
})

const copied = (page: string, name: string, key = organization.adminKey, cwd = ROOT): Promise<string> =>
  shell.copied(page, name, {
    env: { MEMORY_URL: service.url, MEMORY_API_KEY: key },
    // The key that the reader was shown.
    replace: { 'svc_…': key, 'http://127.0.0.1:8787': service.url },
    cwd,
  })

/** A block of a page. */
const blockOf = async (page: string, name: string): Promise<string> => testedBlock(await readPage(page), name)

// In this order: each test uses what the previous one stored, as a reader would.
describe('docs/tutorials/first-answer.md', () => {
  const page = 'docs/tutorials/first-answer.md'

  it('imports, finds, and answers with a source', async () => {
    const keyAndImport = `${await blockOf(page, 'first key')}\n${await blockOf(page, 'import docs')}`
    const replace = { 'svc_…': organization.adminKey, 'http://127.0.0.1:8787': service.url }
    expect(await shell.shell(keyAndImport, { replace })).toMatch(/documents stored/)
    expect(await copied(page, 'search docs')).toContain('docs/guides/rotate-secrets.md')
    expect(await copied(page, 'ask docs')).toMatch(/\[1\] Rotate secrets/)
  })

  it('does the same with the commands of README, whose import skips what is stored', async () => {
    const output = await copied('README.md', 'README, first answer')
    expect(output).toMatch(/ 0 documents stored/)
    expect(output).toMatch(/\[1\] Rotate secrets/)
  })

  it('says when there is no answer', async () => {
    expect(await copied(page, 'ask nothing')).toMatch(/Nothing stored answers this|could not find/)
  })

  it('answers from a pushed document', async () => {
    const pushed = await copied(page, 'push')
    // A repeated run has already stored it.
    expect([await blockOf(page, 'push, output'), '{"ingested":0,"skipped":1}\n']).toContain(
      `${pushed.trim()}\n`,
    )
    const { answer, citations } = JSON.parse(await copied(page, 'ask pushed'))
    const shown = JSON.parse(await blockOf(page, 'ask pushed, output'))
    expect({ answer, citations }).toMatchObject(shown)
  })
})

describe('docs/guides/import-documents.md', () => {
  const page = 'docs/guides/import-documents.md'

  it('imports a folder', async () => {
    const handbook = path.join(shell.home, 'Documents/handbook')
    await mkdir(handbook, { recursive: true })
    await writeFile(path.join(handbook, 'desks.md'), '# Desks\n\nEvery desk can be raised.\n')
    expect(await copied(page, 'import a folder')).toMatch(/1 documents? stored/)
  })

  it('stores a record and deletes it', async () => {
    expect(JSON.parse(await copied(page, 'import'))).toEqual(
      JSON.parse(await blockOf(page, 'import, output')),
    )
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
    const call = `${await blockOf(page, 'agent key')}\n${await blockOf(page, 'mcp')}`
    const replace = { 'svc_…': organization.adminKey, 'http://127.0.0.1:8787': service.url }
    const output = await shell.shell(call, { replace })
    const { result } = JSON.parse(output.replace(/^[^]*?data: /, ''))
    expect(result.structuredContent.results[0].title).toBe('Rotate secrets')
  })
})

describe('docs/tutorials/support-bot.md', () => {
  const page = 'docs/tutorials/support-bot.md'
  const save = async (name: string): Promise<void> => {
    const code = testedBlock(await readPage(page), name).replace('@retrieval-memory/client', CLIENT)
    await writeFile(path.join(shell.home, name), code)
  }
  /** A key with the actions of the page, in a workspace without this documentation. */
  const botKey = async (): Promise<string> => {
    const { adminKey } = await service.organization()
    const output = await copied(page, 'bot key', adminKey)
    return /svc_\S+/.exec(output)?.[0] ?? ''
  }

  it('has a TypeScript bot that prints the documented output', async () => {
    await save('bot.mts')
    // As `npm init -y` writes it.
    await writeFile(path.join(shell.home, 'package.json'), '{ "type": "commonjs" }')
    const output = await copied(page, 'run bot.mts', await botKey(), shell.home)
    expect(output).toBe(await blockOf(page, 'bot, output'))
  })

  it('has a Python bot that prints the same', async ({ skip }) => {
    if (!shell.hasPython) skip('there is no Python with httpx')
    await save('bot.py')
    const output = await copied(page, 'run bot.py', await botKey(), shell.home)
    expect(output).toBe(await blockOf(page, 'bot, output'))
  })
})
