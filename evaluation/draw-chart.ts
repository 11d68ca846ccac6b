import type { RetrievalResult } from './evaluate-retrieval.ts'
import { share } from './table.ts'

interface Bar {
  label: string
  value: number
  kind: 'service' | 'bm25' | 'published'
}

const WIDTH = 860
const MARGIN = 28
const LABELS = 230
const VALUES = 52
const PLOT = WIDTH - 2 * MARGIN - LABELS - VALUES
const HEAD = 92
const BAR = 16
const BAR_STEP = 23
const GROUP_HEAD = 30
const GROUP_GAP = 20
const FOOT = 44

const COLORS = { service: '#0f766e', bm25: '#94a3b8', published: '#dbe3ec' } as const
const INK = '#0f172a'
const MUTED = '#64748b'
const GRID = '#e2e8f0'
/** Separates letters from grid lines. */
const HALO = 'stroke="#ffffff" stroke-width="4" paint-order="stroke"'
const FONT = "font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif\""

/** The comparison as a standalone SVG: a bar of nDCG@10 for each collection and method. */
export function drawChart(results: readonly RetrievalResult[]): string {
  let top = HEAD
  const groups = results.map((result) => {
    const bars = barsOf(result)
    const group = drawGroup(result, bars, top)
    top += GROUP_HEAD + bars.length * BAR_STEP + GROUP_GAP
    return group
  })
  const bottom = top - GROUP_GAP
  const height = bottom + FOOT
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title" ${FONT}>`,
    `<title id="title">nDCG@10 of search, by collection and method</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    drawHead(results),
    drawGrid(HEAD + 4, bottom),
    ...groups,
    '</svg>\n',
  ].join('\n')
}

function barsOf(result: RetrievalResult): Bar[] {
  const published = result.published.map(({ method, ndcg10 }) => ({
    label: `${method}, published`,
    value: ndcg10,
    kind: 'published' as const,
  }))
  return [
    { label: result.model, value: result.service.ndcg10, kind: 'service' },
    { label: `${result.model}, hybrid`, value: result.hybrid.ndcg10, kind: 'service' },
    { label: 'BM25', value: result.bm25.ndcg10, kind: 'bm25' },
    ...published,
  ]
}

function drawHead(results: readonly RetrievalResult[]): string {
  const legend = [
    { kind: 'service' as const, label: `${results[0]?.model ?? 'model'}, through the service` },
    { kind: 'bm25' as const, label: 'BM25, whole documents' },
    ...(results.some(({ published }) => published.length > 0)
      ? [{ kind: 'published' as const, label: 'published by others' }]
      : []),
  ]
  let left = MARGIN
  const entries = legend.map(({ kind, label }) => {
    const entry =
      `<rect x="${left}" y="57" width="11" height="11" rx="2.5" fill="${COLORS[kind]}"/>` +
      text(left + 17, 67, label, { size: 12, fill: MUTED })
    left += 17 + label.length * 6.4 + 24
    return entry
  })
  return [text(MARGIN, 38, 'How well search finds the answer', { size: 19, weight: 650 }), ...entries].join(
    '\n',
  )
}

function drawGrid(top: number, bottom: number): string {
  const from = MARGIN + LABELS
  const lines = [0, 0.2, 0.4, 0.6, 0.8, 1].map((value) => {
    const x = from + value * PLOT
    const label = value === 0 ? '0' : value === 1 ? '1' : share(value).slice(0, 2)
    return (
      `<line x1="${x}" y1="${top}" x2="${x}" y2="${bottom}" stroke="${GRID}"/>` +
      text(x, bottom + 18, label, { size: 11, fill: MUTED, anchor: 'middle' })
    )
  })
  return [...lines, text(from, bottom + 34, 'nDCG@10', { size: 11, fill: MUTED })].join('\n')
}

function drawGroup(result: RetrievalResult, bars: readonly Bar[], top: number): string {
  const { documents, queries } = result
  const size = `${documents.toLocaleString('en')} documents, ${queries.toLocaleString('en')} questions`
  const head =
    text(MARGIN, top + 18, result.collection, { size: 14, weight: 650 }) +
    text(MARGIN + LABELS + 6, top + 18, size, { size: 11.5, fill: MUTED })
  const drawn = bars.map((bar, at) => drawBar(bar, top + GROUP_HEAD + at * BAR_STEP))
  return [head, ...drawn].join('\n')
}

function drawBar({ label, value, kind }: Bar, top: number): string {
  const from = MARGIN + LABELS
  const width = Math.max(1, value * PLOT)
  const strong = kind === 'service'
  const fill = strong ? INK : MUTED
  const weight = strong ? 600 : 400
  const middle = top + BAR / 2 + 4.3
  return [
    text(from - 10, middle, label, { size: 12, fill, weight, anchor: 'end' }),
    `<rect x="${from}" y="${top}" width="${width.toFixed(1)}" height="${BAR}" rx="3" fill="${COLORS[kind]}"/>`,
    text(from + width + 7, middle, share(value), { size: 12, fill, weight }),
  ].join('\n')
}

function text(
  x: number,
  y: number,
  content: string,
  {
    size,
    fill = INK,
    weight = 400,
    anchor = 'start',
  }: { size: number; fill?: string; weight?: number; anchor?: string },
): string {
  const attributes = `font-size="${size}" fill="${fill}" font-weight="${weight}" text-anchor="${anchor}" ${HALO}`
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escapeXml(content)}</text>`
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
