import type { Schemas } from '../../api/client.ts'
import { NAME_KINDS, type NameKind } from './memory-search.ts'

export type CanvasNode = Schemas['CanvasNode']
export type CanvasEdge = Schemas['CanvasEdge']
/** The displayed kind of a node. A place whose name starts with `#` is a channel, any other a folder, page or label. */
export type NodeKind = NameKind | 'source'
export type ColorScheme = 'light' | 'dark'

/** A kind's names, and its color in each theme with a contrast of at least 3:1 (WCAG 2.2, 1.4.11). */
export const KINDS: Record<NodeKind, { one: string; many: string } & Record<ColorScheme, string>> = {
  person: { one: 'Person', many: 'People', light: '#4650dd', dark: '#8f9bff' },
  organization: { one: 'Organization', many: 'Organizations', light: '#0f766e', dark: '#45d3bd' },
  channel: { one: 'Channel', many: 'Channels', light: '#b45309', dark: '#f5b041' },
  folder: { one: 'Folder', many: 'Folders', light: '#6d28d9', dark: '#c4a7ff' },
  topic: { one: 'Topic', many: 'Topics', light: '#be185d', dark: '#f48fbf' },
  source: { one: 'Source', many: 'Sources', light: '#4b5563', dark: '#c3cad6' },
}

export const NODE_KINDS: readonly NodeKind[] = [...NAME_KINDS, 'source']

const RADIUS = { min: 3.5, max: 17 } as const

/** A node's radius in pixels. It grows with the square root of the weight, so that the area shows the weight. */
export function radiusOf(weight: number, heaviest: number): number {
  return RADIUS.min + (RADIUS.max - RADIUS.min) * Math.sqrt(weight / heaviest)
}

export function kindOf({ type, label }: Pick<CanvasNode, 'type' | 'label'>): NodeKind {
  if (type === 'channel') return label.startsWith('#') ? 'channel' : 'folder'
  return NAME_KINDS.find((kind) => kind === type) ?? 'source'
}
