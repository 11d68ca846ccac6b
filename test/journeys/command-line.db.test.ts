import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import {
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'

const run = promisify(execFile)
const aDocument = {
  provider: 'notion',
  sourceKind: 'document',
  externalId: 'crane',
  title: 'Harbor',
  body: 'The harbor has a crane.',
}
let service: TestService
let organization: TestOrganization
let folder: string

beforeAll(async () => {
  service = await startTestService()
  organization = await service.organization()
  folder = await mkdtemp(join(tmpdir(), 'memory-cli-'))
})

afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

async function memory(...args: string[]): Promise<string> {
  return await memoryOf({ url: service.url, key: organization.adminKey }, ...args)
}

async function memoryOf({ url, key }: { url: string; key: string }, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['cli/main.ts', ...args], {
    env: {
      PATH: process.env.PATH,
      MEMORY_URL: url,
      MEMORY_API_KEY: key,
      OPERATOR_TOKEN,
      XDG_STATE_HOME: join(folder, 'state'),
    },
  })
  return stdout
}

describe('the command line against the real service', () => {
  it('sets, lists, shows and deletes groups', async () => {
    expect(
      await memory(
        'groups',
        'set',
        'legal',
        '--members',
        'ada@example.com,bob@example.com',
        '--name',
        'Legal',
      ),
    ).toBe('Group "legal" has 2 members\n')
    expect(await memory('groups', 'list')).toMatch(/legal +Legal +2 +you/)
    expect(await memory('groups', 'show', 'legal')).toBe('ada@example.com\nbob@example.com\n')
    expect(await memory('groups', 'delete', 'legal', '--yes')).toBe('Deleted "legal"\n')
    expect(JSON.parse(await memory('groups', 'list', '--json'))).toEqual({ groups: [] })
  })

  it('imports a folder, searches it, answers from it and shows what is stored', async () => {
    const documents = join(folder, 'handbook')
    await mkdir(documents)
    await writeFile(
      join(documents, 'pto.md'),
      '# PTO policy\n\nEmployees accrue 25 days of paid time off per year.\n',
    )
    await memory('import', documents)
    const found: unknown = JSON.parse(await memory('search', 'paid time off', '--json'))
    expect(found).toMatchObject({ hits: [{ title: 'PTO policy', metadata: { path: 'handbook/pto.md' } }] })
    expect(await memory('ask', 'How many days of paid time off?')).toMatch(/25 days/)
    expect(await memory('documents', 'list')).toMatch(/google_drive +document .+ PTO policy\n$/)
    expect(await memory('documents', 'open', 'pto policy')).toMatch(
      /^PTO policy\n[^]+Employees accrue 25 days/,
    )
  })

  it('gets a console token from the development issuer that the console accepts', async () => {
    const token = (await memory('token', '--email', 'ada@example.com')).trim()
    const me = await service.call('GET', '/v1/console/me', { key: token })
    expect(me).toMatchObject({ status: 200, body: { user: { email: 'ada@example.com' } } })
  })

  it("sets a workspace's plan as the operator, from the next request on", async () => {
    expect(await memory('operator', 'organizations')).toContain(organization.id)
    await memory('operator', 'subscription', organization.id, 'active', '--tier', 'builder', '--credits', '0')
    const refused = await service.call('POST', '/v1/search', {
      key: organization.adminKey,
      body: { query: 'x' },
    })
    expect(refused).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } })
  })

  it('grants a gated provider as the operator', async () => {
    expect(await memory('operator', 'access', organization.id, 'gmail', 'grant')).toMatch(/gmail: granted/)
  })

  it('builds, shows and drops an approximate index as the operator, or says why it cannot', async () => {
    const index = (act?: string) => memory('operator', 'index', organization.id, ...(act ? [act] : []))
    expect(await index()).toBe('none\n')
    if (service.database.openPatient === null) {
      await expect(index('build')).rejects.toThrow(/Set DATABASE_URL to a PostgreSQL server/)
    } else {
      expect(await index('build')).toMatch(/^(building|ready): \d+ of \d+ chunks of \S+\n$/)
    }
    expect(await index('drop')).toBe('none\n')
  })

  it('removes a workspace as the operator, with --yes in a non-interactive shell', async () => {
    const gone = await service.organization()
    await expect(memory('operator', 'remove', gone.id)).rejects.toThrow(/Nothing was removed.*--yes/)
    expect(await memory('operator', 'organizations')).not.toMatch(/being removed/)
    expect(await memory('operator', 'remove', gone.id, '--yes')).toMatch(/is no longer accessible/)
    expect((await service.call('GET', '/v1/sources', { key: gone.adminKey })).status).toBe(401)
    expect(await memory('operator', 'organizations')).toMatch(new RegExp(`being removed .*${gone.id}`))
    const nobody = '00000000-0000-4000-8000-000000000000'
    await expect(memory('operator', 'remove', nobody, '--yes')).rejects.toThrow(/There is no workspace/)
  })

  it('moves all chunks to the configured embedding model', async () => {
    const { adminKey: key, sources } = await service.organization()
    const documents = [{ ...aDocument, connectorId: sources.notion }]
    await service.call('POST', '/v1/ingest', { key, body: { documents } })
    const embeddingModel = hashEmbeddingModel({ id: 'hash-2', dimensions: 96 })
    const changed = await startTestService({ database: service.database, embeddingModel })
    try {
      expect(await memoryOf({ url: changed.url, key }, 'reembed')).toBe('All chunks use hash-2\n')
      const { body } = await changed.call('GET', '/v1/maintenance/reembed', { key })
      expect(body).toMatchObject({ status: 'succeeded', answeringModel: 'hash-2', chunksDone: 1 })
    } finally {
      await changed.close()
    }
  })
})
