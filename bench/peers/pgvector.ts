import { Pool } from 'pg'
import { z } from 'zod'
import { type DataSet, DIMENSIONS, providerOf, RARE_PROVIDER, vectorOf } from './data-set.ts'
import { type Engine, LIMIT, type Scope, SMALL_TENANT_ROWS } from './measure.ts'

const CLIENTS = 8
const ROWS_A_STATEMENT = 100
const LARGE = 1
const SMALL = 2

const Ids = z.array(z.object({ id: z.number() }))

/** pgvector in a plain table, searched in SQL: exactly, or by an HNSW index with `ef_search` 100. */
export async function fillPgvector(data: DataSet, url: string, index: 'exact' | 'hnsw'): Promise<Engine> {
  const pool = new Pool({
    connectionString: url,
    max: CLIENTS,
    // Parallel builds of pgvector before 0.8.2 have a fault.
    options: '-c jit=off -c hnsw.ef_search=100 -c max_parallel_maintenance_workers=0',
  })
  let isClosing = false
  // A released connection may still report that its database was dropped.
  pool.on('error', (error) => {
    if (!isClosing) throw error
  })
  const close = async (): Promise<void> => {
    isClosing = true
    await pool.end()
  }
  try {
    await pool.query('create extension if not exists vector')
    await pool.query(
      `create table rows (tenant int, provider text, id int, embedding vector(${DIMENSIONS}), primary key (tenant, id))`,
    )
    await pool.query('alter table rows alter embedding set storage plain')
    await pool.query('create index on rows (tenant, provider)')
    await insert(pool, data, SMALL, SMALL_TENANT_ROWS)
    const started = performance.now()
    await insert(pool, data, LARGE, data.size)
    if (index === 'hnsw') await pool.query('create index on rows using hnsw (embedding vector_cosine_ops)')
    const seconds = (performance.now() - started) / 1_000
    await pool.query('vacuum analyze rows')
    return {
      name: index === 'exact' ? 'pgvector, exact' : 'pgvector, HNSW ef 100',
      ingestPerSecond: data.size / seconds,
      search: (question, scope) => search(pool, data.questions[question]?.vector ?? [], scope),
      // This process cannot see the server's memory.
      residentMb: () => Promise.resolve(null),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function insert(pool: Pool, data: DataSet, tenant: number, size: number): Promise<void> {
  let next = 0
  const client = async (): Promise<void> => {
    while (next < size) {
      const from = next
      next += ROWS_A_STATEMENT
      const ids = Array.from({ length: Math.min(ROWS_A_STATEMENT, size - from) }, (_, n) => from + n)
      await pool.query({
        name: 'insert',
        text: 'insert into rows select $1, * from unnest($2::text[], $3::int[], $4::vector[])',
        values: [tenant, ids.map(providerOf), ids, ids.map((id) => inText(vectorOf(data, id)))],
      })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

async function search(pool: Pool, vector: ArrayLike<number>, scope: Scope): Promise<number[]> {
  const condition = scope === 'rare' ? 'and provider = $4' : ''
  const { rows } = await pool.query({
    name: `search-${scope}`,
    text: `select id from rows where tenant = $1 ${condition} order by embedding <=> $2::vector limit $3`,
    values: [
      scope === 'small' ? SMALL : LARGE,
      inText(vector),
      LIMIT,
      ...(scope === 'rare' ? [RARE_PROVIDER] : []),
    ],
  })
  return Ids.parse(rows).map(({ id }) => id)
}

function inText(vector: ArrayLike<number>): string {
  return `[${Array.from(vector).join(',')}]`
}
