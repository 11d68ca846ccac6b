import type { Hit } from '../../retrieval/index.ts'
import type { Around } from '../read-around.ts'

/** A run of neighboring chunks of one document, read as one text. */
export interface Section {
  /** The index of the best hit in it. */
  hit: number
  /** The headings above its first chunk. */
  heading: string | null
  text: string
  /** Its chunks in order. `end` is the offset of each one's end in the text. */
  pieces: readonly Piece[]
}

export interface Piece {
  end: number
  /** The index of the hit to cite: the chunk itself, or the better of its neighbors. */
  hit: number
  /** Whether the chunk itself is a hit. */
  isHit: boolean
}

interface Chunk {
  position: number
  heading: string | null
  content: string
  hit: number
  isHit: boolean
}

/** Joins the hits and their neighbors into runs of text, the one with the best hit first. Each text is read once. */
export function joinSections(
  hits: readonly Hit[],
  around: readonly (Around | undefined)[],
  contentOf: (hit: Hit) => string,
): Section[] {
  const documents = new Map<string, Map<number, Chunk>>()
  const alone: Section[] = []
  for (const [hit, found] of hits.entries()) {
    const place = around[hit]
    const content = contentOf(found)
    if (place === undefined) {
      alone.push({ hit, heading: null, text: content, pieces: [{ end: content.length, hit, isHit: true }] })
      continue
    }
    const { position, heading } = place
    const chunks = documents.get(found.sourceItemId) ?? new Map<number, Chunk>()
    documents.set(found.sourceItemId, chunks)
    if (!chunks.get(position)?.isHit) chunks.set(position, { position, heading, content, hit, isHit: true })
    for (const beside of place.beside) {
      const text = contentOf({ ...found, content: beside.content })
      if (!chunks.has(beside.position))
        chunks.set(beside.position, { ...beside, content: text, hit, isHit: false })
    }
  }
  const joined = [...documents.values()].flatMap((chunks) => runsOf([...chunks.values()]).map(joinRun))
  return [...joined, ...alone].toSorted((a, b) => a.hit - b.hit)
}

function runsOf(chunks: readonly Chunk[]): Chunk[][] {
  const runs: Chunk[][] = []
  for (const chunk of chunks.toSorted((a, b) => a.position - b.position)) {
    const run = runs.at(-1)
    if (run?.at(-1)?.position === chunk.position - 1) run.push(chunk)
    else runs.push([chunk])
  }
  return runs
}

function joinRun(run: readonly Chunk[]): Section {
  let text = ''
  const pieces: Piece[] = []
  for (const { content, hit, isHit } of run) {
    text += text === '' ? content : `${glueBetween(text, content)}${content}`
    pieces.push({ end: text.length, hit, isHit })
  }
  const best = run.reduce((least, { hit }) => Math.min(least, hit), Infinity)
  return { hit: best, heading: run[0]?.heading ?? null, text, pieces }
}

/** The separator between chunks, which are split between blocks or inside a table. */
function glueBetween(before: string, after: string): string {
  const last = before.slice(before.lastIndexOf('\n') + 1).trimStart()
  return last.startsWith('|') && after.trimStart().startsWith('|') ? '\n' : '\n\n'
}
