import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type CommandResult, type RunningCommand, startCommand } from '../../cli/support/run-command.ts'
import { documentOf, push } from '../support/documents.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** More than one request. */
const ITEMS = 1_004
const POLICY = { visibility: 'restricted', users: ['ada@example.com'], groups: ['legal'] }

interface Workspace {
  service: TestService
  organization: TestOrganization
  model: ReturnType<typeof hashEmbeddingModel>
}

let folder: string
let from: Workspace
const started: TestService[] = []

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'move-'))
  from = await startWorkspace('hash-1')
  const { service, organization } = from
  for (let n = 0; n < ITEMS; n += ITEMS / 2)
    await push(
      service,
      organization,
      ...Array.from({ length: ITEMS / 2 }, (_, at) =>
        documentOf(organization, {
          externalId: `page-${n + at}`,
          body: `common word${n + at}`,
          metadata: { accessPolicy: POLICY, n: n + at },
        }),
      ),
    )
  // More chunks than fit into one short transaction of the embedded database.
  const long = Array.from({ length: 60 }, (_, n) => `## Part ${n}\n\n${`text${n} `.repeat(150)}`).join('\n\n')
  await push(
    service,
    organization,
    documentOf(organization, { externalId: 'long', title: 'Long', body: long }),
  )
  const { code, stderr } = await memory(from, 'export', fileOf('whole'))
  if (code !== 0) throw new Error(stderr)
})
afterAll(async () => {
  for (const service of started) await service.close()
  await rm(folder, { recursive: true, force: true })
})

async function startWorkspace(id: string): Promise<Workspace> {
  const model = hashEmbeddingModel({ id })
  const service = await startTestService({ embeddingModel: model })
  started.push(service)
  return { service, model, organization: await service.organization() }
}

const fileOf = (name: string): string => path.join(folder, `${name}.jsonl`)

function start({ service, organization }: Workspace, ...args: string[]): RunningCommand {
  return startCommand(args, {
    MEMORY_URL: service.url,
    MEMORY_API_KEY: organization.adminKey,
    XDG_STATE_HOME: path.join(folder, 'state'),
  })
}
const memory = (of: Workspace, ...args: string[]): Promise<CommandResult> => start(of, ...args).done

const END = '{"end":true}\n'
const linesOf = async (name: string): Promise<string[]> =>
  (await readFile(fileOf(name), 'utf8')).trimEnd().split('\n')
const Line = z.looseObject({ externalId: z.string() })

/** The items of an export, without the ids of items and sources. */
async function contentOf(name: string): Promise<Map<string, object>> {
  const items = (await linesOf(name)).slice(1, -1).map((line) => Line.parse(JSON.parse(line)))
  return new Map(items.map((item) => [item.externalId, { ...item, id: '', connectorId: '' }]))
}

async function countItems({ service, organization }: Workspace): Promise<number> {
  const { count } = await service.database.db
    .selectFrom('source_items')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

describe('memory export and import of a workspace', () => {
  it('resumes a killed import, ends with an equal workspace, and embeds nothing', async () => {
    const to = await startWorkspace('hash-1')
    const killed = start(to, 'import', fileOf('whole'))
    await until(
      'the first items',
      () => countItems(to),
      (count) => count > 0,
    )
    killed.child.kill('SIGKILL')
    await killed.done
    const resumed = await memory(to, 'import', fileOf('whole'), '--json')
    expect(JSON.parse(resumed.stdout)).toMatchObject({ withoutVectors: 0, failed: [], complete: true })
    const again = await memory(to, 'import', fileOf('whole'), '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ ingested: 0, skipped: ITEMS + 1 })
    expect(to.model.calls.documents).toBe(0)
    await memory(to, 'export', fileOf('copy'))
    expect(await contentOf('copy')).toEqual(await contentOf('whole'))
  })

  it('embeds the texts with another model, and says so', async () => {
    const to = await startWorkspace('hash-2')
    const [header = '', ...items] = await linesOf('whole')
    await writeFile(fileOf('some'), [header, ...items.slice(0, 5), END].join('\n'))
    const { code, stdout } = await memory(to, 'import', fileOf('some'))
    expect(code).toBe(0)
    expect(stdout).toContain('5 documents stored')
    expect(stdout).toContain(
      `5 of them sent without vectors, to be embedded again: embedding.model must be the workspace's: "hash-2"`,
    )
    expect(await countItems(to)).toBe(5)
    expect(to.model.calls.documents).toBeGreaterThanOrEqual(5)
  })

  it('embeds only the documents whose text is cut differently', async () => {
    const to = await startWorkspace('hash-1')
    const [header = '', ...items] = (await linesOf('whole')).filter((line) => !line.includes('"long"'))
    const other = items[0]?.replace('"heading":null', '"heading":"Other"') ?? ''
    await writeFile(fileOf('other'), [header, other, items[1], END].join('\n'))
    const { stdout } = await memory(to, 'import', fileOf('other'))
    expect(stdout).toMatch(/2 documents stored\n +1 of them sent without vectors.*: embedding\.chunksSha256/)
    expect(to.model.calls.documents).toBe(1)
  })
})
