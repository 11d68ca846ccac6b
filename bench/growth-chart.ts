/** The duration of a search at a size. */
export interface GrowthPoint {
  /** The name of the line. */
  engine: string
  rows: number
  p50Ms: number
}

const WIDTH = 930
const HEIGHT = 480
const LEFT = 70
const RIGHT = 590
const TOP = 64
const BOTTOM = 420
const LABEL_STEP = 16
const INK = '#0f172a'
const MUTED = '#64748b'
const GRID = '#e2e8f0'
const FONT = "font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif\""
const COLORS = ['#0f766e', '#0891b2', '#b45309', '#f59e0b', '#7c3aed', '#c084fc', '#be123c']

/**
 * The p50 of a search by the number of rows, on logarithmic axes, as a standalone SVG.
 * @param heading what was measured, on one line
 */
export function drawGrowth(results: readonly GrowthPoint[], heading: string): string {
  const engines = [...new Set(results.map(({ engine }) => engine))]
  const times = results.map(({ p50Ms }) => p50Ms)
  const x = axis(
    results.map(({ rows }) => rows),
    LEFT,
    RIGHT,
  )
  const y = axis(times, BOTTOM, TOP)
  const lines = engines.map((engine, n) => {
    const color = COLORS[n % COLORS.length] ?? INK
    const points = results.filter((one) => one.engine === engine)
    const at = points.map(({ rows, p50Ms }) => `${x.at(rows).toFixed(1)},${y.at(p50Ms).toFixed(1)}`)
    const dots = points.map(
      ({ rows, p50Ms }) =>
        `<circle cx="${x.at(rows).toFixed(1)}" cy="${y.at(p50Ms).toFixed(1)}" r="3" fill="${color}"/>`,
    )
    return [
      `<polyline points="${at.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...dots,
    ].join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title" ${FONT}>`,
    '<title id="title">p50 of a search by rows and engine</title>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(LEFT, 34, heading, { size: 16, fill: INK }),
    ...x.powers.map((power) =>
      [
        rule(x.at(power), TOP, x.at(power), BOTTOM),
        text(x.at(power), BOTTOM + 20, power.toLocaleString('en'), { anchor: 'middle' }),
      ].join(''),
    ),
    ...y.powers.map((power) =>
      [
        rule(LEFT, y.at(power), RIGHT, y.at(power)),
        text(LEFT - 8, y.at(power) + 4, String(power), { anchor: 'end' }),
      ].join(''),
    ),
    text((LEFT + RIGHT) / 2, BOTTOM + 44, 'rows of 1,024 dimensions', { anchor: 'middle' }),
    ...lines,
    ...legend(engines, results, y.at),
    '</svg>\n',
  ].join('\n')
}

/** A logarithmic axis with powers of ten around the values. */
function axis(
  values: readonly number[],
  from: number,
  to: number,
): { powers: number[]; at(value: number): number } {
  const logs = values.map((value) => Math.log10(value))
  const low = Math.floor(Math.min(...logs))
  // A value slightly above a power, such as 1,000,002, counts as that power.
  const high = Math.max(low + 1, Math.ceil(Math.max(...logs) - 0.01))
  const powers = Array.from({ length: high - low + 1 }, (_, n) => Number(`1e${low + n}`))
  return { powers, at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from) }
}

/** Names at the ends of the lines, slowest on top, without overlap. */
function legend(
  engines: readonly string[],
  results: readonly GrowthPoint[],
  at: (ms: number) => number,
): string[] {
  let lowest = -Infinity
  return engines
    .map((engine, n) => ({
      engine,
      n,
      y: at(results.findLast((one) => one.engine === engine)?.p50Ms ?? 1),
    }))
    .toSorted((a, b) => a.y - b.y)
    .map(({ engine, n, y }) => {
      lowest = Math.max(y + 4, lowest + LABEL_STEP)
      return text(RIGHT + 12, lowest, engine, { fill: COLORS[n % COLORS.length] ?? INK })
    })
}

function rule(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${GRID}"/>`
}

function text(
  x: number,
  y: number,
  content: string,
  {
    size = 12,
    fill = MUTED,
    anchor = 'start',
  }: { size?: number; fill?: string; anchor?: 'start' | 'middle' | 'end' },
): string {
  return `<text x="${x}" y="${y.toFixed(1)}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${content}</text>`
}
