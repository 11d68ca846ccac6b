import type { CanvasQuery } from '../client/src/index.ts'
import type { CanvasEdge, CanvasNode } from './api-shapes.ts'

export type EntityType = NonNullable<CanvasQuery['entityType']>

const SIZE = 1_200
const CENTER = SIZE / 2
/** The angle between consecutive nodes, which keeps them from overlapping. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5))
const RADIUS_MIN = 5
const RADIUS_MAX = 26
const LABEL_CHARACTERS_MAX = 28
const COLORS: Readonly<Record<EntityType | 'source', string>> = {
  person: '#2563eb',
  organization: '#9333ea',
  channel: '#0d9488',
  topic: '#d97706',
  source: '#475569',
}
const COLOR_OF = new Map(Object.entries(COLORS))
/** What entities can be. */
export const ENTITY_TYPES = Object.keys(COLORS).filter((type) => type !== 'source')

interface Placed {
  node: CanvasNode
  x: number
  y: number
  radius: number
}

/** Draws the graph as an SVG: the heaviest node in the middle, sized by weight. Deterministic. */
export function drawCanvas(nodes: readonly CanvasNode[], edges: readonly CanvasEdge[]): string {
  const heaviest = Math.max(1, ...nodes.slice(0, 1).map(({ weight }) => weight))
  const placed = nodes.map((node, place): Placed => {
    const distance = ((SIZE / 2 - 90) * Math.sqrt(place)) / Math.sqrt(Math.max(1, nodes.length - 1))
    return {
      node,
      x: CENTER + distance * Math.cos(place * GOLDEN_ANGLE),
      y: CENTER + distance * Math.sin(place * GOLDEN_ANGLE),
      radius: RADIUS_MIN + (RADIUS_MAX - RADIUS_MIN) * Math.sqrt(node.weight / heaviest),
    }
  })
  const byId = new Map(placed.map((one) => [one.node.id, one]))
  const strongest = Math.max(1, ...edges.slice(0, 1).map(({ weight }) => weight))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" font-family="system-ui, sans-serif" font-size="12">`,
    '<title>Memory canvas</title>',
    `<rect width="${SIZE}" height="${SIZE}" fill="#ffffff"/>`,
    '<g stroke="#94a3b8">',
    ...edges.flatMap((edge) => lineOf(edge, byId, strongest)),
    '</g>',
    ...placed.map(circleOf),
    ...legend(),
    '</svg>',
    '',
  ].join('\n')
}

function lineOf(
  { source, target, type, weight }: CanvasEdge,
  byId: ReadonlyMap<string, Placed>,
  strongest: number,
): string[] {
  const from = byId.get(source)
  const to = byId.get(target)
  if (!from || !to) return []
  const share = Math.sqrt(weight / strongest)
  const words = `${from.node.label} ${type.replaceAll('_', ' ')} ${to.node.label}: ${weight}`
  return [
    `<line x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}" stroke-width="${round(0.5 + 3 * share)}" opacity="${round(0.15 + 0.5 * share)}"><title>${escaped(words)}</title></line>`,
  ]
}

function circleOf({ node, x, y, radius }: Placed): string {
  const characters = [...node.label]
  const label =
    characters.length <= LABEL_CHARACTERS_MAX
      ? node.label
      : `${characters.slice(0, LABEL_CHARACTERS_MAX - 1).join('')}…`
  const color = COLOR_OF.get(node.kind === 'source' ? node.kind : node.type) ?? COLORS.source
  return (
    `<g><title>${escaped(`${node.label} (${node.type}): ${node.weight}`)}</title>` +
    `<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${color}" fill-opacity="0.85"/>` +
    `<text x="${round(x)}" y="${round(y + radius + 12)}" text-anchor="middle" fill="#0f172a" stroke="#ffffff" stroke-width="3" paint-order="stroke">${escaped(label)}</text></g>`
  )
}

function legend(): string[] {
  return [...COLOR_OF].map(
    ([type, color], place) =>
      `<g><circle cx="24" cy="${24 + place * 20}" r="6" fill="${color}"/><text x="38" y="${28 + place * 20}" fill="#0f172a">${type}</text></g>`,
  )
}

function round(value: number): string {
  return value.toFixed(1)
}

/** Escapes untrusted text for XML and removes control characters. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
