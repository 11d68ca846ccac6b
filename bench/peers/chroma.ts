import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { freePort } from '../../test/support/service-process.ts'
import { endPeer, residentMbOf, spawnPeer } from './child.ts'
import { type DataSet, providerOf, RARE_PROVIDER, vectorOf } from './data-set.ts'
import { type Engine, LIMIT, type Scope, SMALL_TENANT_ROWS } from './measure.ts'

const ROWS_A_REQUEST = 500
const START_MS = 60_000
const LOOK_MS = 100
const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections'

const Collection = z.object({ id: z.string() })
const Answer = z.object({ ids: z.array(z.array(z.string())) })

/** A Chroma server over HTTP: one collection whose rows name their tenant, with HNSW's `ef_search` at 100. */
export async function fillChroma(data: DataSet): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-bench-'))
  const port = await freePort()
  const child = spawnPeer(
    'node_modules/chromadb/dist/cli.mjs',
    ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)],
    ['ignore', 'ignore', 'inherit'],
  )
  const url = `http://127.0.0.1:${port}`
  const close = async (): Promise<void> => {
    await endPeer(child)
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await untilAnswering(url)
    const configuration = { hnsw: { space: 'cosine', ef_search: 100 } }
    const made = await post(url + COLLECTIONS, { name: 'bench', configuration })
    const collection = `${url}${COLLECTIONS}/${Collection.parse(made).id}`
    await insert(collection, data, 'small', SMALL_TENANT_ROWS)
    const started = performance.now()
    await insert(collection, data, 'large', data.size)
    const seconds = (performance.now() - started) / 1_000
    return {
      name: 'Chroma server, HNSW ef 100',
      ingestPerSecond: data.size / seconds,
      search: (question, scope) => search(collection, data.questions[question]?.vector ?? [], scope),
      residentMb: () => residentMbOf(child),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function insert(collection: string, data: DataSet, tenant: string, size: number): Promise<void> {
  for (let from = 0; from < size; from += ROWS_A_REQUEST) {
    const rows = Array.from({ length: Math.min(ROWS_A_REQUEST, size - from) }, (_, n) => from + n)
    await post(`${collection}/add`, {
      ids: rows.map((row) => `${tenant}-${row}`),
      embeddings: rows.map((row) => Array.from(vectorOf(data, row))),
      metadatas: rows.map((row) => ({ tenant, provider: providerOf(row) })),
    })
  }
}

async function search(collection: string, vector: ArrayLike<number>, scope: Scope): Promise<number[]> {
  const tenant = { tenant: scope === 'small' ? 'small' : 'large' }
  const answer = await post(`${collection}/query`, {
    query_embeddings: [Array.from(vector)],
    n_results: LIMIT,
    where: scope === 'rare' ? { $and: [tenant, { provider: RARE_PROVIDER }] } : tenant,
    include: [],
  })
  return (Answer.parse(answer).ids[0] ?? []).map((id) => Number(id.split('-')[1]))
}

async function untilAnswering(url: string): Promise<void> {
  const deadline = performance.now() + START_MS
  for (;;) {
    const isUp = await fetch(`${url}/api/v2/heartbeat`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    if (performance.now() > deadline) throw new Error('the Chroma server did not start: its message is above')
    await sleep(LOOK_MS)
  }
}

async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`Chroma answered ${response.status}: ${await response.text()}`)
  return await response.json()
}
