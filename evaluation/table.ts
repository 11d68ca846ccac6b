import type { Measures } from './measures.ts'
import type { AnswersResult } from './evaluate-answers.ts'
import { shareBelow, type WeakEvidenceResult } from './evaluate-weak-evidence.ts'
import type { CanvasResult } from './evaluate-canvas.ts'
import type { FactsResult } from './evaluate-facts.ts'
import type { RetrievalResult } from './evaluate-retrieval.ts'
import type { WordsResult } from './evaluate-words.ts'

const COLUMNS = ['collection', 'documents', 'questions', 'method', 'nDCG@10', 'recall@10', 'MRR@10'] as const

/** The results as a Markdown table, aligned for a terminal. */
export function retrievalTable(results: readonly RetrievalResult[]): string {
  const rows = results.flatMap((result) => {
    const { collection, documents, queries } = result
    const lead = [collection, documents.toLocaleString('en'), queries.toLocaleString('en')]
    return [
      [...lead, `${result.model}, through the service`, ...measureCells(result.service)],
      ['', '', '', 'hybrid order', ...measureCells(result.hybrid)],
      ['', '', '', 'order in which an answer reads', ...measureCells(result.reading)],
      ['', '', '', 'BM25', ...measureCells(result.bm25)],
      ...result.published.map(({ method, ndcg10 }) => [
        '',
        '',
        '',
        `${method}, published`,
        share(ndcg10),
        '',
        '',
      ]),
    ]
  })
  return markdownTable(COLUMNS, rows)
}

/** How often answers without a language model contain the evidence, as a Markdown table. */
export function answersTable(results: readonly AnswersResult[]): string {
  const rows = results.flatMap(({ collection, queries, read, answered, byKind, characters }) => [
    [collection, 'all', queries.toLocaleString('en'), share(read), share(answered), String(characters)],
    ...byKind.map((one) => ['', one.kind, one.queries.toLocaleString('en'), '', share(one.answered), '']),
  ])
  const header = [
    'collection',
    'kind',
    'questions',
    'evidence is read',
    'evidence is in the answer',
    'characters',
  ]
  return markdownTable(header, rows)
}

/** How many questions count as unanswerable, as a Markdown table. */
export function weakEvidenceTable(results: readonly WeakEvidenceResult[], threshold: number): string {
  const header = ['collection', 'its questions', 'flagged', "others' questions", 'flagged']
  const rows = results.map(({ collection, answerable, foreign }) => [
    collection,
    answerable.length.toLocaleString('en'),
    share(shareBelow(answerable, threshold)),
    foreign.length.toLocaleString('en'),
    share(shareBelow(foreign, threshold)),
  ])
  return markdownTable(header, rows)
}

/** How often answers state the requested fact, as a Markdown table. */
export function factsTable(results: readonly FactsResult[]): string {
  const header = [
    'collection',
    'half',
    'kind',
    'questions',
    'page read',
    'fact said',
    'said first',
    'flagged',
    'characters',
  ]
  const rows = results.flatMap(({ collection, groups }) =>
    groups.map(({ half, kind, questions, read, said, first, flagged, characters }) => [
      collection,
      half,
      kind,
      String(questions),
      ...[read, said, first, flagged].map(share),
      String(characters),
    ]),
  )
  return markdownTable(header, rows)
}

/** The weight of words outside the subject, as a Markdown table. */
export function wordsTable(results: readonly WordsResult[]): string {
  const header = [
    'collection',
    'questions',
    'words without a subject',
    'count as rare',
    'share of the weight',
  ]
  const rows = results.map(({ collection, questions, words, rare, weight }) => [
    collection,
    String(questions),
    String(words),
    ratio(rare, words),
    share(weight),
  ])
  return markdownTable(header, rows)
}

/** How well the memory canvas finds entities, merges their names and chooses its heaviest nodes. */
export function canvasTables({ groups, merges, top }: CanvasResult): string {
  const entities = groups.map(({ half, kind, found, right, labeled, recalled }) => [
    half,
    kind,
    ...[found, labeled].map(String),
    ratio(right, found),
    ratio(recalled, labeled),
  ])
  const names = merges.map(({ half, same, joined, wronglyJoined }) => [
    half,
    String(same),
    ratio(joined, same),
    ratio(wronglyJoined, joined + wronglyJoined),
  ])
  const wrong = top.wrong.length === 0 ? '' : ` Wrong: ${top.wrong.join('; ')}.`
  return [
    markdownTable(['half', 'kind', 'found', 'labeled', 'precision', 'recall'], entities),
    markdownTable(['half', 'pairs of names of the same', 'joined', 'wrong among the joined'], names),
    `Precision among the top ${top.nodes} nodes of all items: ${ratio(top.right, top.nodes)}.${wrong}`,
  ].join('\n\n')
}

/** A share; `-` if the whole is 0. */
function ratio(part: number, whole: number): string {
  return whole === 0 ? '-' : share(part / whole)
}

function measureCells({ ndcg10, recall10, mrr10 }: Measures): string[] {
  return [ndcg10, recall10, mrr10].map(share)
}

/** A share as `.713`. */
export function share(value: number): string {
  return value.toFixed(3).replace(/^0(?=\.)/, '')
}

/** A Markdown table with aligned columns. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)))
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
