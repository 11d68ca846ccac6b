import type { Figures } from './measure.ts'

const HEAD = [
  'engine',
  'rows',
  'recall@10',
  'p50 ms',
  'p99 ms',
  'searches/s, 8 clients',
  '1 % filter: recall',
  'p50 ms',
  'tenant of 100: p50 ms',
  'rows/s in',
  'resident MB',
]

/** The figures as Markdown, by rows. */
export function table(results: readonly Figures[]): string {
  return [`| ${HEAD.join(' | ')} |`, `|${HEAD.map(() => '---|').join('')}`, ...results.map(lineOf)].join('\n')
}

function lineOf(figures: Figures): string {
  const { engine, rows, recall, p50Ms, p99Ms, searchesPerSecond, ingestPerSecond, residentMb } = figures
  const cells = [
    engine,
    rows.toLocaleString('en'),
    recall.all.toFixed(2),
    short(p50Ms.all),
    short(p99Ms),
    short(searchesPerSecond),
    recall.rare.toFixed(2),
    short(p50Ms.rare),
    short(p50Ms.small),
    ingestPerSecond.toFixed(0),
    residentMb === null ? '–' : residentMb.toFixed(0),
  ]
  return `| ${cells.join(' | ')} |`
}

function short(value: number): string {
  return value.toFixed(value < 20 ? 1 : 0)
}
