import { z } from 'zod'

export type Row = Record<string, unknown>
type Column = readonly [heading: string, cell: (row: Row) => string]

/** A table of a page: which results it shows, and how. */
interface Figure {
  files: readonly string[]
  columns: readonly Column[]
  /** The shown rows; all results by default. */
  rows?: (results: readonly Row[]) => readonly Row[]
}

const Count = z.number()
const PEER_ROWS = 100_000
/** The load of the page; the results have documents of 1 MiB too. */
const BESIDE = '1,000 documents at a time'

/** The value at a dotted path. */
function valueAt(row: Row, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => z.record(z.string(), z.unknown()).optional().parse(value)?.[key], row)
}

const text =
  (path: string) =>
  (row: Row): string =>
    String(valueAt(row, path) ?? '–')
/** A number with so many decimals; a dash when it was not measured. */
const number =
  (path: string, decimals = 0) =>
  (row: Row): string => {
    const value = Count.safeParse(valueAt(row, path))
    if (!value.success) return '–'
    return value.data.toLocaleString('en', {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
  }
/** A share as `.857`. */
const share =
  (path: string) =>
  (row: Row): string =>
    z.number().parse(valueAt(row, path)).toFixed(3).replace(/^0/, '')

const NAMES: Record<string, string> = {
  gitlab: 'company handbook, sections',
  'gitlab-full': 'company handbook, pages',
  stackfaq: 'questions and answers (stackfaq)',
  scifact: 'abstracts, claims (scifact)',
  cranfield: 'abstracts (cranfield)',
  paraphrases: 'paraphrases that share no word with the answer',
}
const collection = (row: Row): string => {
  const name = text('collection')(row)
  return NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
const MEASURES: readonly Column[] = [
  ['vector order', share('service.ndcg10')],
  ['hybrid order', share('hybrid.ndcg10')],
  ['BM25', share('bm25.ndcg10')],
]
const Times = z.object({
  p50Ms: z.record(z.string(), z.number()),
  p99Ms: z.record(z.string(), z.number()),
})
/** One row for each kind of request. */
const byKind = (row: Row): Row[] => {
  const { p50Ms, p99Ms } = Times.parse(row)
  return Object.keys(p50Ms).map((kind) => ({
    database: row['database'],
    kind,
    p50: p50Ms[kind],
    p99: p99Ms[kind],
  }))
}
const Groups = z.object({ groups: z.array(z.record(z.string(), z.unknown())) })
const groupsOf = (results: readonly Row[]): Row[] => results.flatMap((one) => Groups.parse(one).groups)

const SEARCH: readonly Column[] = [
  ['database', text('database')],
  ['chunks', number('chunks')],
  ['p50 ms', number('p50Ms.plain', 1)],
  ['p99', number('p99Ms', 1)],
  ['hybrid, p50', number('p50Ms.hybrid', 1)],
  ['the database alone, p50', number('databaseAloneP50Ms', 1)],
  ['searches/s, 8 clients', number('searchesPerSecond')],
  ['hybrid/s', number('hybridPerSecond')],
  ['first search ms', number('firstSearchMs')],
  ['resident MB', number('residentMb')],
]

/** A process's memory in MB, and what each 1,000 chunks that it holds add, after searches in hybrid order. */
const MEMORY: Record<string, { process: number; perThousand: number }> = {
  embedded: { process: 470, perThousand: 1.6 },
  postgres: { process: 270, perThousand: 1.4 },
}

/** The memory in MB that a process with so many chunks needs, as the page says. */
export function predictedMb(row: Row): number {
  const { process, perThousand } = MEMORY[text('database')(row)] ?? { process: NaN, perThousand: NaN }
  return process + (perThousand * Count.parse(row['chunks'])) / 1_000
}

/** The tables by name, as the comments `<!-- figures: NAME -->` of a page refer to them. */
export const FIGURES: Record<string, Figure> = {
  search: { files: ['bench/results/search.json'], columns: SEARCH },
  'search-16': { files: ['bench/results/search-16-processors.json'], columns: SEARCH },
  million: {
    files: [
      'bench/results/million.json',
      'bench/results/million-embedded.json',
      'bench/results/five-million.json',
    ],
    columns: [
      ['database', text('database')],
      ['chunks', number('chunks')],
      ['p50 ms', number('p50Ms.plain', 1)],
      ['hybrid, p50', number('p50Ms.hybrid', 1)],
      ['ask, p50', number('p50Ms.ask', 1)],
      ['the database alone, p50', number('databaseAloneP50Ms', 1)],
      ['searches/s, 8 clients', number('searchesPerSecond')],
      ['in memory after s', number('inMemoryAfterSeconds', 1)],
      ['resident MB', number('residentMb')],
    ],
  },
  'five-million': {
    files: ['bench/results/five-million.json'],
    rows: (results) =>
      results.flatMap((one) => z.array(z.record(z.string(), z.unknown())).parse(one['operations'])),
    columns: [
      ['measurement', text('what')],
      ['seconds', number('seconds', 2)],
    ],
  },
  upgrade: {
    files: ['bench/results/upgrade.json'],
    columns: [
      ['measurement', text('what')],
      ['embedded', number('embedded', 1)],
      ['postgres', number('postgres', 1)],
    ],
  },
  citus: { files: ['bench/results/citus.json'], columns: SEARCH },
  memory: {
    files: [
      'bench/results/search.json',
      'bench/results/million.json',
      'bench/results/million-embedded.json',
      'bench/results/five-million.json',
    ],
    columns: [
      ['database', text('database')],
      ['chunks', number('chunks')],
      ['predicted MB', (row) => predictedMb(row).toLocaleString('en', { maximumFractionDigits: 0 })],
      ['measured MB', number('residentAfterHybridMb')],
    ],
  },
  load: {
    files: ['bench/results/load.json'],
    rows: (results) => results.flatMap(byKind),
    columns: [
      ['database', text('database')],
      ['request', text('kind')],
      ['p50 ms', number('p50', 1)],
      ['p99', number('p99', 1)],
    ],
  },
  ingest: {
    files: ['bench/results/latest.json'],
    columns: [
      ['database', text('database')],
      ['chunks', number('chunks')],
      ['chunks/s, 1 client', number('chunksPerSecond')],
      ['8 clients', number('chunksPerSecondAtOnce')],
      ['first start s', number('firstStartSeconds', 1)],
      ['later starts s', number('secondStartSeconds', 1)],
      ['resident MB', number('residentMb')],
    ],
  },
  beside: {
    files: ['bench/results/latest.json'],
    rows: (results) =>
      results.flatMap((one) =>
        z
          .array(z.record(z.string(), z.unknown()))
          .parse(one['beside'] ?? [])
          .filter(({ beside }) => beside === BESIDE)
          .map((beside) => Object.assign(beside, { database: one['database'], chunks: one['chunks'] })),
      ),
    columns: [
      ['database', text('database')],
      ['chunks', number('chunks')],
      ['request', text('asked')],
      ['p50 ms', number('p50Ms')],
      ['p99', number('p99Ms')],
    ],
  },
  neighbors: {
    files: ['bench/results/neighbors.json'],
    columns: [
      ['database', text('database')],
      ['the other workspace sends', text('load')],
      ['search p50 ms', number('p50Ms', 1)],
      ['p99', number('p99Ms')],
      ['its requests/s', number('requestsPerSecond')],
    ],
  },
  sync: {
    files: ['bench/results/latest-sync.json'],
    columns: [
      ['provider', text('provider')],
      ['run', text('run')],
      ['items', number('discovered')],
      ['seconds', number('seconds', 1)],
      ['requests', number('requests')],
      ['peak MB', number('peakMb')],
    ],
  },
  peers: {
    files: ['bench/results/peers.json'],
    rows: (results) => results.filter(({ rows }) => rows === PEER_ROWS),
    columns: [
      ['engine', text('engine')],
      ['recall@10', number('recall.all', 2)],
      ['p50 ms', number('p50Ms.all', 1)],
      ['p99', number('p99Ms', 1)],
      ['searches/s, 8 clients', number('searchesPerSecond')],
      ['1% filter: recall', number('recall.rare', 2)],
      ['p50 ms', number('p50Ms.rare', 1)],
      ['rows/s in', number('ingestPerSecond')],
    ],
  },
  collections: {
    files: [
      'evaluation/results/handbook-pages.json',
      'evaluation/results/public.json',
      'evaluation/results/paraphrases.json',
    ],
    columns: [
      ['collection', collection],
      ['documents', number('documents')],
      ['questions', number('queries')],
      ...MEASURES,
    ],
  },
  published: {
    files: ['evaluation/results/public.json'],
    rows: (results) =>
      results.flatMap((one) => z.array(z.record(z.string(), z.unknown())).parse(one['published'])),
    columns: [
      ['scifact', text('method')],
      ['nDCG@10, published', share('ndcg10')],
    ],
  },
  'same-language': {
    files: ['evaluation/results/same-language.json'],
    columns: [['questions and documents', collection], ...MEASURES],
  },
  languages: {
    files: ['evaluation/results/languages.json'],
    columns: [['questions; English documents', collection], ...MEASURES],
  },
  'facts-translated': {
    files: ['evaluation/results/facts-translated.json'],
    columns: [['80 questions; 130 English documents', collection], ...MEASURES],
  },
  'asked-translated': {
    files: ['evaluation/results/asked-translated.json'],
    rows: groupsOf,
    columns: [
      ['questions', text('language')],
      ['asked', number('questions')],
      ['cites the page first', number('first')],
      ['flagged', number('flagged')],
    ],
  },
  facts: {
    files: ['evaluation/results/facts.json'],
    rows: groupsOf,
    columns: [
      ['half', text('half')],
      ['questions', number('questions')],
      ['the page is read', share('read')],
      ['the answer states the fact', share('said')],
      ['in its first 200 characters', share('first')],
    ],
  },
  'real-answers': {
    files: ['evaluation/results/real-answers.json'],
    rows: groupsOf,
    columns: [
      ['documents', text('documents')],
      ['questions', number('questions')],
      ['states the fact', share('said')],
      ['in its first 200 characters', share('first')],
    ],
  },
  'graded-answers': {
    files: ['evaluation/results/graded-answers.json'],
    rows: groupsOf,
    columns: [
      ['documents', text('subjects')],
      ['questions', number('questions')],
      ['useful', number('useful')],
      ['partly', number('partly')],
      ['useless', number('useless')],
      ['flagged', number('flagged')],
      ['without an answer', number('withoutAnswer')],
      ['admitted', number('admitted')],
    ],
  },
  simulation: {
    files: ['simulation/results/long-runs.json'],
    columns: [
      ['run', text('run')],
      ['seeds', number('seeds')],
      ['operations', number('operations')],
      ['faults', number('faults')],
      ['processes', number('processes')],
      ['simulated hours', number('simulatedHours')],
    ],
  },
  'canvas-names': {
    files: ['evaluation/results/canvas.json'],
    rows: (results) => groupsOf(results).filter(({ half }) => half === 'held out'),
    columns: [
      ['kind', text('kind')],
      ['precision', (row) => share('precision')({ precision: ratio(row, 'right', 'found') })],
      ['recall', (row) => share('recall')({ recall: ratio(row, 'recalled', 'labeled') })],
    ],
  },
}

function ratio(row: Row, part: string, whole: string): number {
  return Count.parse(row[part]) / Count.parse(row[whole])
}
