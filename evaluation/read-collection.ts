import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'

/** A retrieval test collection: documents, questions, and grades of relevant documents for each question. */
export interface Collection {
  /** The folder's name. */
  name: string
  documents: readonly CollectionDocument[]
  /** Questions with at least one relevant document, in the file's order. */
  queries: readonly CollectionQuery[]
}

export interface CollectionDocument {
  id: string
  title: string
  text: string
}

export interface CollectionQuery {
  id: string
  text: string
  /** Grades above 0, by document. */
  relevant: ReadonlyMap<string, number>
}

/** A fault in a collection's files that their author can fix; printed without a stack. */
export class CollectionError extends Error {}

const DocumentLine = z.object({ id: z.string().min(1), title: z.string().default(''), text: z.string() })
const QueryLine = z.object({ id: z.string().min(1), text: z.string().min(1) })
const GRADE = /^-?\d+$/

/**
 * Reads `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv` (query, document, grade)
 * of a folder. The format is BEIR's (Thakur et al. 2021) with `id` for `_id`.
 * @throws CollectionError with the file and line
 */
export async function readCollection(folder: string): Promise<Collection> {
  const name = basename(resolve(folder))
  const documents = await readLines(join(folder, 'corpus.jsonl'), DocumentLine)
  const queries = await readLines(join(folder, 'queries.jsonl'), QueryLine)
  const qrels = join(folder, 'qrels.tsv')
  const relevant = await readGrades(qrels, {
    queries: new Set(queries.map(({ id }) => id)),
    documents: new Set(documents.map(({ id }) => id)),
  })
  const judged = queries.flatMap((query) => {
    const grades = relevant.get(query.id)
    return grades === undefined ? [] : [{ ...query, relevant: grades }]
  })
  if (judged.length === 0) throw new CollectionError(`${qrels}: no question has a relevant document`)
  return { name, documents, queries: judged }
}

/** `count` queries, spread evenly and the same in every run. */
export function sampleQueries(collection: Collection, count: number): Collection {
  const { queries } = collection
  if (count >= queries.length) return collection
  const sampled = Array.from({ length: count }, (_, at) => queries[Math.floor((at * queries.length) / count)])
  return { ...collection, queries: sampled.filter((query) => query !== undefined) }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CollectionError(
      `${file} cannot be read. A collection is a folder with corpus.jsonl, queries.jsonl and qrels.tsv.`,
      { cause },
    )
  }
}

/** Reads a JSONL file and checks its ids; skips blank lines. */
export async function readLines<T extends { id: string }>(file: string, shape: z.ZodType<T>): Promise<T[]> {
  const lines: T[] = []
  const ids = new Set<string>()
  for (const [at, line] of (await readText(file)).split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = shape.safeParse(parseJson(line, `${file}, line ${at + 1}`))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new CollectionError(`${file}, line ${at + 1}: ${issue?.path.join('.')}: ${issue?.message}`)
    }
    if (ids.has(parsed.data.id)) {
      throw new CollectionError(`${file}, line ${at + 1}: the id "${parsed.data.id}" occurs twice`)
    }
    ids.add(parsed.data.id)
    lines.push(parsed.data)
  }
  if (lines.length === 0) throw new CollectionError(`${file} is empty`)
  return lines
}

function parseJson(line: string, where: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new CollectionError(`${where} is not JSON`, { cause })
  }
}

async function readGrades(
  file: string,
  known: { queries: ReadonlySet<string>; documents: ReadonlySet<string> },
): Promise<Map<string, Map<string, number>>> {
  const grades = new Map<string, Map<string, number>>()
  for (const [at, line] of (await readText(file)).split('\n').entries()) {
    if (line.trim() === '') continue
    const [query = '', document = '', grade = ''] = line.trimEnd().split('\t')
    // BEIR's files start with a header line.
    if (at === 0 && grade === 'score') continue
    const fault = !GRADE.test(grade)
      ? 'three columns are needed: query, document, grade'
      : !known.queries.has(query)
        ? `queries.jsonl has no "${query}"`
        : known.documents.has(document)
          ? null
          : `corpus.jsonl has no "${document}"`
    if (fault !== null) throw new CollectionError(`${file}, line ${at + 1}: ${fault}`)
    if (Number(grade) <= 0) continue
    const ofQuery = grades.get(query) ?? new Map<string, number>()
    grades.set(query, ofQuery.set(document, Number(grade)))
  }
  return grades
}
