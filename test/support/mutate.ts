/** Inputs that often break parsers. */
const TOKENS: readonly (string | number[])[] = [
  '',
  ' ',
  '\0',
  '\n',
  '\r\n',
  '-1',
  '0',
  '65536',
  '2147483648',
  '4294967295',
  '9007199254740993',
  '1e308',
  'NaN',
  'null',
  '{}',
  '[]',
  '"',
  "'",
  '<',
  '>',
  '</',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '&',
  '&amp;',
  '&#x110000;',
  '<!DOCTYPE x [',
  '<!ENTITY a "b">',
  '(',
  ')',
  '<<',
  '>>',
  'endobj',
  'stream\n',
  'endstream',
  '/Length 0',
  ' 0 R',
  'xref',
  '%PDF-',
  '--x',
  '--',
  '=?utf-8?Q?',
  '?=',
  'charset=',
  'Content-Transfer-Encoding: base64',
  '```',
  '|',
  '|-|',
  '![](',
  '[](',
  '{{',
  '..',
  '../',
  '%00',
  '\\u0000',
  '\\ud800',
  '__proto__',
  'constructor',
  '\u202e',
  '\ufeff',
  '\u{1f600}',
  [0xff, 0xfe],
  [0xfe, 0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0x50, 0x4b, 3, 4],
  [0x50, 0x4b, 1, 2],
  [0x50, 0x4b, 5, 6],
  [0x1f, 0x8b],
  [0x28, 0xb5, 0x2f, 0xfd],
  [0, 0, 0, 0],
  [0xff, 0xff, 0xff, 0xff],
  [0x7f, 0xff, 0xff, 0xff],
]
/** Many repetitions, but less than a megabyte. */
const REPEATED_BYTES_MAX = 20_000
const CHANGES_MAX = 6

/** A changed copy: bytes flipped, and parts removed, repeated, moved or inserted. Deterministic for the same numbers. */
export function mutate(bytes: Uint8Array, random: () => number): Buffer {
  let changed: Buffer = Buffer.from(bytes)
  const changes = 1 + below(CHANGES_MAX, random)
  for (let n = 0; n < changes; n++) changed = changeOne(changed, random)
  return changed
}

function changeOne(bytes: Buffer, random: () => number): Buffer {
  const at = below(bytes.length + 1, random)
  const end = Math.min(bytes.length, at + 1 + below(random() < 0.5 ? 8 : bytes.length + 1, random))
  const part = bytes.subarray(at, end)
  switch (below(8, random)) {
    case 0: {
      const flipped = Buffer.from(bytes)
      if (at < bytes.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << below(8, random))
      return flipped
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
    case 2: {
      const times = 2 + below(Math.max(1, Math.floor(REPEATED_BYTES_MAX / Math.max(1, part.length))), random)
      return Buffer.concat([
        bytes.subarray(0, at),
        ...Array<Buffer>(Math.min(times, 2_000)).fill(part),
        bytes.subarray(end),
      ])
    }
    case 3:
      return bytes.subarray(0, at)
    case 4: {
      const to = below(bytes.length + 1, random)
      return Buffer.concat([bytes.subarray(0, to), part, bytes.subarray(to)])
    }
    case 5:
      return changeNumber(bytes, at, random)
    case 6:
      return Buffer.concat([bytes.subarray(0, at), tokenOf(random), bytes.subarray(end)])
    default:
      return Buffer.concat([bytes.subarray(0, at), tokenOf(random), bytes.subarray(at)])
  }
}

/** Replaces the next number in text, such as a length, count or offset. */
function changeNumber(bytes: Buffer, from: number, random: () => number): Buffer {
  const isDigit = (at: number): boolean => {
    const byte = bytes[at] ?? 0
    return byte >= 0x30 && byte <= 0x39
  }
  let at = from
  while (at < bytes.length && !isDigit(at)) at += 1
  let end = at
  while (isDigit(end)) end += 1
  const number =
    ['-1', '0', '1', '255', '65535', '2147483647', '4294967296', '99999999999999999999'][below(8, random)] ??
    '0'
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(number), bytes.subarray(end)])
}

function tokenOf(random: () => number): Buffer {
  const token = TOKENS[below(TOKENS.length, random)] ?? ''
  return typeof token === 'string' ? Buffer.from(token) : Buffer.from(token)
}

/** A whole number from 0 to below `count`. */
export const below = (count: number, random: () => number): number => Math.floor(random() * count)

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\0',
  '\ud800',
  '__proto__',
  'x'.repeat(20_000),
  [],
  [null],
  [[]],
  {},
  { a: null },
  { toString: 'x' },
  { length: 1e9 },
  '9999999-01-01T00:00:00Z',
  '../..',
  "' or 1=1--",
]

/** The text of a JSON value with some parts replaced, or with changed bytes, which rarely leave valid JSON. */
export function mutateJson(value: unknown, random: () => number): Buffer {
  if (random() < 0.3) return mutate(Buffer.from(JSON.stringify(value)), random)
  let changed = value
  for (let n = 1 + below(3, random); n > 0; n--) changed = replaceOne(changed, random)
  return Buffer.from(JSON.stringify(changed) ?? '')
}

function replaceOne(value: unknown, random: () => number): unknown {
  const entries = value === null || typeof value !== 'object' ? [] : Object.entries(value)
  const chosen = entries[below(entries.length, random)]
  if (chosen === undefined || random() < 0.1) return VALUES[below(VALUES.length, random)]
  const [key, inner] = chosen
  const rest = entries.filter(([name]) => name !== key)
  const isArray = Array.isArray(value)
  if (random() < 0.1) return isArray ? rest.map(([, one]) => one) : Object.fromEntries(rest)
  const replaced = entries.map(
    ([name, one]) => [name, name === key ? replaceOne(inner, random) : one] as const,
  )
  return isArray ? replaced.map(([, one]) => one) : Object.fromEntries(replaced)
}
