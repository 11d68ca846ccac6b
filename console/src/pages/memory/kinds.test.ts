import { expect, it } from 'vitest'
import { KINDS, NODE_KINDS } from './kinds.ts'

/** The values of `--panel-background` in both themes. */
const BACKGROUNDS = { light: '#ffffff', dark: '#1a1b1f' } as const

/** Relative luminance, as defined in WCAG 2.2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

it.each(['light', 'dark'] as const)('gives every kind of node enough contrast in the %s theme', (scheme) => {
  for (const kind of NODE_KINDS)
    expect(contrast(KINDS[kind][scheme], BACKGROUNDS[scheme]), kind).toBeGreaterThanOrEqual(4.5)
  expect(new Set(NODE_KINDS.map((kind) => KINDS[kind][scheme])).size).toBe(NODE_KINDS.length)
})
