import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { benchDocument } from './corpus.ts'
import { percentile } from './search.ts'
import { call } from './server.ts'

/** The latency of one client while another pushes many documents. */
export interface Beside {
  asked: 'sources' | 'search'
  beside: string
  answers: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** Pushed meanwhile. */
  documentsPerSecond: number
}

interface Pushed {
  name: string
  /** Requests, one after another, and documents in each. */
  requests: number
  documents: number
  words: number
}

const PUSHED: readonly Pushed[] = [
  { name: '1,000 documents at a time', requests: 4, documents: 1_000, words: 400 },
  // The longest document allowed.
  { name: 'documents of 1 MiB', requests: 12, documents: 1, words: 164_000 },
]
const Latencies = z.array(z.number())

/**
 * Measures the latency of other requests during ingests. They come from their own thread, so that the pushing
 * client does not delay them.
 * @param connectorId of Notion
 */
export async function measureBesideIngests(url: string, connectorId: string): Promise<Beside[]> {
  const results: Beside[] = []
  for (const pushed of PUSHED)
    for (const asked of ['sources', 'search'] as const)
      results.push(await measureBeside(url, { asked, pushed, connectorId }))
  return results
}

async function measureBeside(
  url: string,
  { asked, pushed, connectorId }: { asked: Beside['asked']; pushed: Pushed; connectorId: string },
): Promise<Beside> {
  // Prepared in advance, so that during the measurement only the service uses the processor.
  const bodies = Array.from({ length: pushed.requests }, (_, request) => ({
    documents: Array.from({ length: pushed.documents }, (_each, n) => ({
      connectorId,
      provider: 'notion',
      sourceKind: 'document',
      externalId: `${pushed.name}-${asked}-${request}-${n}`,
      ...benchDocument(1_000_000 + request * pushed.documents + n, pushed.words),
    })),
  }))
  const asking = new Worker(new URL('./ask-beside.ts', import.meta.url), { workerData: { url, asked } })
  await once(asking, 'message')
  const answered = once(asking, 'message')
  const started = performance.now()
  for (const body of bodies) await call(url, 'POST', '/v1/ingest', body)
  const seconds = (performance.now() - started) / 1000
  asking.postMessage('stop', [])
  const sorted = Latencies.parse((await answered)[0]).toSorted((a, b) => a - b)
  return {
    asked,
    beside: pushed.name,
    answers: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    maxMs: percentile(sorted, 1),
    documentsPerSecond: (pushed.requests * pushed.documents) / seconds,
  }
}

export function besideTable(
  results: readonly { database: string; chunks: number; beside: readonly Beside[] }[],
): string {
  const rows = results.flatMap(({ database, chunks, beside }) =>
    beside.map((one) =>
      [
        database,
        chunks,
        one.beside,
        one.asked === 'search' ? 'searches' : 'the list of sources',
        one.answers,
        one.p50Ms.toFixed(1),
        one.p99Ms.toFixed(1),
        one.maxMs.toFixed(1),
        one.documentsPerSecond.toFixed(one.documentsPerSecond < 100 ? 1 : 0),
      ].join(' | '),
    ),
  )
  return [
    '| database | chunks | beside | one client asks for | answers | p50 ms | p99 ms | max ms | documents/s in |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
