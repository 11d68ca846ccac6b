import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import { prepare } from '../../database/prepared.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { runCooperatively, type Pausable } from '../../kernel/cooperative.ts'
import type { Candidate, ChunkKey } from '../../vector-memory/index.ts'
import { keyText } from '../nearest-query.ts'
import { keyArrays } from '../read-rows.ts'
import type { RowCache } from '../row-cache.ts'
import { type ChunkWords, chunkWords, type Titled } from './words.ts'

/**
 * The words of chunks, in order, from the cache or else from their texts. If an item changed since the revision, its
 * words may be newer.
 * @param onMissing called if texts are read
 * @returns null if a chunk no longer exists
 */
export type ReadWords = (
  of: { organizationId: string; revision: number },
  chunks: readonly Pick<Candidate, 'itemId' | 'position' | 'version'>[],
  options?: { signal?: AbortSignal | undefined; onMissing?: () => void },
) => Promise<ChunkWords[] | null>

export function createReadWords({
  db,
  terms,
  cache,
}: {
  db: Db
  terms: TermWeights
  cache: RowCache
}): ReadWords {
  return async ({ organizationId, revision }, chunks, { signal, onMissing } = {}) => {
    const words = chunks.map((chunk) => cache.wordsOf(chunk))
    const missing = chunks.filter((_, at) => words[at] === undefined)
    if (missing.length > 0) {
      onMissing?.()
      const read = await readTexts(db, organizationId, missing)
      const texts = new Map(read.texts.map((text) => [keyText(text.key), text]))
      await runCooperatively(hash(texts, read.revision === revision), signal)
    }
    const found = words.filter((one) => one !== undefined)
    return found.length === chunks.length ? found : null

    function* hash(texts: ReadonlyMap<string, Titled>, isCurrent: boolean): Pausable<void> {
      for (const [at, chunk] of chunks.entries()) {
        const text = texts.get(keyText(chunk))
        if (words[at] || !text) continue
        yield
        const ofChunk = chunkWords(text, terms)
        words[at] = ofChunk
        if (isCurrent) cache.setWords(chunk, ofChunk)
      }
    }
  }
}

const Texts = z.array(
  z.object({
    id: z.string(),
    position: z.number(),
    title: z.string(),
    content: z.string(),
    revision: z.number(),
  }),
)

const selectTexts = prepare(`
  select k.id, k.position, i.title, c.content,
    coalesce((select r.revision from item_revisions r where r.organization_id = $1), 0)::float8 as revision
  from unnest($2::text::uuid[], $3::text::int[]) as k(id, position)
  cross join lateral (
    select i.title from source_items i where i.organization_id = $1 and i.id = k.id limit 1) i
  cross join lateral (
    select c.content from chunks c
    where c.organization_id = $1 and c.source_item_id = k.id and c.position = k.position limit 1) c`)

/** The titles and texts of chunks of one revision, in any order. Omits deleted ones. */
async function readTexts(
  db: Db,
  organizationId: string,
  keys: readonly ChunkKey[],
): Promise<{ texts: { key: ChunkKey; title: string; content: string }[]; revision: number }> {
  const { rows } = await selectTexts(db, [organizationId, ...keyArrays(keys)])
  const parsed = Texts.parse(rows)
  return {
    texts: parsed.map(({ id, position, title, content }) => ({
      key: { itemId: id, position },
      title,
      content,
    })),
    revision: parsed[0]?.revision ?? 0,
  }
}
