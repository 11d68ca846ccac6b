import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { endPeer, spawnPeer } from './child.ts'
import type { DataSet } from './data-set.ts'
import type { Figures, Truth } from './measure.ts'

const OfScopes = z.object({ all: z.number(), rare: z.number(), small: z.number() })
const Message = z.object({
  engine: z.string(),
  rows: z.number(),
  ingestPerSecond: z.number(),
  recall: OfScopes,
  p50Ms: OfScopes,
  p99Ms: z.number(),
  searchesPerSecond: z.number(),
  residentMb: z.number().nullable(),
})

/** LanceDB in its own process (`lancedb.mjs`). @throws if that fails, after it has printed its message */
export async function measureLanceDb(data: DataSet, truth: Truth, index: 'flat' | 'hnsw'): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-bench-'))
  const args = [folder, String(data.size), String(data.questions.length), index]
  const child = spawnPeer('lancedb.mjs', args, ['ignore', 'inherit', 'inherit', 'ipc'])
  try {
    child.send(truth)
    const failed = once(child, 'exit').then(([code]) => {
      throw new Error(`its process ended with ${String(code)}; its message is above`)
    })
    const [message] = await Promise.race([once(child, 'message'), failed])
    failed.catch(() => {})
    return Message.parse(message)
  } finally {
    await endPeer(child)
    await rm(folder, { recursive: true, force: true })
  }
}
