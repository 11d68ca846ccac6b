import { DAY_MS } from '../../kernel/clock.ts'

/** How a cell shows its number. `date` may have a time of day; `time` is a time of day or a duration in hours. */
export type NumberStyle = 'plain' | 'percent' | 'date' | 'time'

/** Excel's own limit. */
const CODE_CHARACTERS_MAX = 255
/** Excel's last day: 9999-12-31. */
const LAST_DAY = 2_958_466

/** The style of a number format (ECMA-376 part 1, 18.8.30 and 18.8.31); `code` is null for built-in ones. */
export function numberStyleOf(id: number, code: string | null): NumberStyle {
  if (code === null) return builtInStyle(id)
  // The format of positive numbers, without literals, conditions and colors; [h] and the like count hours.
  const [section = ''] = code
    .slice(0, CODE_CHARACTERS_MAX)
    .replaceAll(/"[^"]*"|\\.|_./g, '')
    .split(';')
  const isSpan = /\[(?:h+|m+|s+)\]/i.test(section)
  const letters = section.replaceAll(/\[[^[\]]*\]/g, '').replaceAll(/am\/pm|a\/p|general/gi, '')
  if (isSpan) return 'time'
  if (/[yd]/i.test(letters)) return 'date'
  if (/[hs]/i.test(letters)) return 'time'
  if (/m/i.test(letters)) return 'date'
  return letters.includes('%') ? 'percent' : 'plain'
}

function builtInStyle(id: number): NumberStyle {
  if (id === 9 || id === 10) return 'percent'
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return 'time'
  // 27 to 36 and 50 to 58 are dates of East Asian editions.
  if ((id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return 'date'
  return 'plain'
}

/** Formats a stored number for readers: at most 15 digits, `12.5%`, `2025-03-01`, `2025-03-01 14:30`, `14:30`. */
export function formatNumber(value: number, style: NumberStyle, startsIn1904: boolean): string {
  if (style === 'percent') return `${rounded(value * 100)}%`
  if (style === 'time' && value >= 0 && value < LAST_DAY) return clockOf(value)
  if (style === 'date' && value >= 0 && value < LAST_DAY) return dateOf(value, startsIn1904)
  return rounded(value)
}

// Excel computes with 15 digits; further ones are binary noise.
const rounded = (value: number) => String(Number(value.toPrecision(15)))

function dateOf(value: number, startsIn1904: boolean): string {
  // Day 60 is February 29, 1900, which did not exist, so the days before it are off by one.
  const epoch = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, value < 60 ? 31 : 30)
  const seconds = Math.round(value * 86_400)
  const day = new Date(epoch + Math.floor(seconds / 86_400) * DAY_MS).toISOString().slice(0, 10)
  return seconds % 86_400 === 0 ? day : `${day} ${clockOf((seconds % 86_400) / 86_400)}`
}

/** Days as hours and minutes, plus seconds if any; the hours may exceed 24. */
function clockOf(days: number): string {
  const seconds = Math.round(days * 86_400)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (seconds % 60 !== 0) parts.push(seconds % 60)
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
