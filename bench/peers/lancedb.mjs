// LanceDB runs in its client's process, so it is measured in a separate one: `lancedb.mjs FOLDER ROWS
// QUESTIONS flat|hnsw`, with an IPC channel that receives the truth and sends the figures.
import { once } from 'node:events'
import process from 'node:process'
import { connect, Index } from '@lancedb/lancedb'
import { prepareDataSet, providerOf, RARE_PROVIDER, vectorOf } from './data-set.ts'
import { LIMIT, measureEngine, SMALL_TENANT_ROWS } from './measure.ts'

const ROWS_AT_ONCE = 2_000
const LARGE = 'large'
const SMALL = 'small'
const EF = 100

const [folder, rows, questions, kind] = process.argv.slice(2)
const truthComes = once(process, 'message')
const data = await prepareDataSet(Number(rows), Number(questions))
const [truth] = await truthComes
const before = process.memoryUsage().rss
const database = await connect(folder)
const table = await database.createTable('rows', rowsOf(SMALL, 0, SMALL_TENANT_ROWS))
const started = performance.now()
for (let from = 0; from < data.size; from += ROWS_AT_ONCE) {
  await table.add(rowsOf(LARGE, from, Math.min(data.size, from + ROWS_AT_ONCE)))
}
await table.createIndex('tenant', { config: Index.bitmap() })
await table.createIndex('provider', { config: Index.bitmap() })
if (kind === 'hnsw') {
  await table.createIndex('vector', { config: Index.hnswSq({ distanceType: 'cosine', numPartitions: 1 }) })
}
const seconds = (performance.now() - started) / 1_000
await table.optimize()

const figures = await measureEngine(
  {
    name: kind === 'hnsw' ? `LanceDB in process, HNSW-SQ ef ${EF}` : 'LanceDB in process, flat',
    ingestPerSecond: data.size / seconds,
    search,
    // LanceDB's part: this process also has the data set's vectors.
    residentMb: async () => (process.memoryUsage().rss - before) / 2 ** 20,
    close: async () => database.close(),
  },
  data,
  truth,
)
process.send(figures, () => process.exit())

function rowsOf(tenant, from, to) {
  return Array.from({ length: to - from }, (_, n) => ({
    tenant,
    id: from + n,
    provider: providerOf(from + n),
    vector: Array.from(vectorOf(data, from + n)),
  }))
}

async function search(question, scope) {
  const tenant = `tenant = '${scope === 'small' ? SMALL : LARGE}'`
  const found = await table
    .query()
    .nearestTo(data.questions[question].vector)
    .distanceType('cosine')
    .ef(EF)
    .where(scope === 'rare' ? `${tenant} and provider = '${RARE_PROVIDER}'` : tenant)
    .select(['id', '_distance'])
    .limit(LIMIT)
    .toArray()
  return found.map(({ id }) => Number(id))
}
