import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { startIssuer, type TestIssuer } from '../../test/support/issuer.ts'
import { ADMIN_KEY, type BenchServer, call, startServer, untilInMemory } from '../server.ts'
import { COMMON_PROVIDER, type DataSet, documentOf, RARE_PROVIDER } from './data-set.ts'
import { type Engine, LIMIT, type Scope, SMALL_TENANT_ROWS } from './measure.ts'

const DOCUMENTS_A_REQUEST = 50
const CLIENTS = 8
const OPERATOR_TOKEN = 'benchmark-operator-token-0123456789abcdef'
const CREDITS = 10_000_000

const Sources = z.object({ sources: z.array(z.object({ id: z.string(), provider: z.string() })) })
const Hits = z.object({ hits: z.array(z.object({ title: z.string() })) })
const Made = z.object({ organization: z.object({ id: z.string() }) })
const Source = z.object({ source: z.object({ id: z.string() }) })
const Key = z.object({ secret: z.string() })

/** A tenant of the service: its key, and the source of each provider. */
interface Tenant {
  key: string
  sources: Record<string, string>
}

/**
 * The service as shipped, over HTTP, on the embedded database or the one at the URL. It embeds the questions
 * itself.
 */
export async function fillService(data: DataSet, databaseUrl?: string): Promise<Engine> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-bench-'))
  const issuer = await startIssuer()
  const server = await startServer({
    ...issuer.environment,
    OPERATOR_TOKEN,
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl ?? '',
  })
  const close = async (): Promise<void> => {
    await server.stop()
    await issuer.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    const large = await localTenant(server)
    const small = await smallTenant(server, issuer)
    await ingest(server, small, SMALL_TENANT_ROWS)
    const seconds = await ingest(server, large, data.size)
    await untilInMemory(server.url, () => search(server, large, data.questions[0]?.text ?? '', 'all'))
    return {
      name: `the service, ${databaseUrl === undefined ? 'embedded' : 'PostgreSQL'}`,
      ingestPerSecond: data.size / seconds,
      search: (question, scope) =>
        search(server, scope === 'small' ? small : large, data.questions[question]?.text ?? '', scope),
      residentMb: server.residentMb,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function search(server: BenchServer, { key }: Tenant, query: string, scope: Scope): Promise<number[]> {
  const filter = scope === 'rare' ? { filter: { providers: [RARE_PROVIDER] } } : {}
  const answer = await call(server.url, 'POST', '/v1/search', { query, limit: LIMIT, ...filter }, key)
  // A title ends with the number of its document.
  return Hits.parse(answer).hits.map(({ title }) => Number(title.split(' ').at(-1)))
}

/**
 * Pushes the first rows from eight clients at once.
 * @returns the seconds that it took
 */
async function ingest({ url }: BenchServer, { key, sources }: Tenant, size: number): Promise<number> {
  const started = performance.now()
  let next = 0
  const client = async (): Promise<void> => {
    while (next < size) {
      const from = next
      next += DOCUMENTS_A_REQUEST
      const documents = Array.from({ length: Math.min(DOCUMENTS_A_REQUEST, size - from) }, (_, n) => {
        const document = documentOf(from + n)
        return {
          ...document,
          connectorId: sources[document.provider],
          sourceKind: 'document',
          externalId: `bench-${from + n}`,
        }
      })
      await call(url, 'POST', '/v1/ingest', { documents }, key)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return (performance.now() - started) / 1_000
}

async function localTenant({ url }: BenchServer): Promise<Tenant> {
  const { sources } = Sources.parse(await call(url, 'GET', '/v1/sources'))
  return { key: ADMIN_KEY, sources: Object.fromEntries(sources.map(({ provider, id }) => [provider, id])) }
}

/** The workspace of a signed-in user, on a plan with enough credits. */
async function smallTenant({ url }: BenchServer, issuer: TestIssuer): Promise<Tenant> {
  const token = await issuer.token({ subject: 'bench' })
  const make = (path: string, body: object): Promise<unknown> => call(url, 'POST', path, body, token)
  const { organization } = Made.parse(await make('/v1/console/organizations', { name: 'Small' }))
  const plan = { status: 'active', tier: 'studio', creditsIncluded: CREDITS }
  await call(url, 'PUT', `/operator/organizations/${organization.id}/subscription`, plan, OPERATOR_TOKEN)
  const sources: Record<string, string> = {}
  for (const provider of [COMMON_PROVIDER, RARE_PROVIDER]) {
    const made = await make('/v1/console/sources', { provider, displayName: provider })
    sources[provider] = Source.parse(made).source.id
  }
  const { secret } = Key.parse(
    await make('/v1/console/api-keys', { name: 'Bench', allowedActions: ['search', 'ingest'] }),
  )
  return { key: secret, sources }
}
