/** Fields of a resource by name; null: a field without selectable fields of its own. */
export interface ResourceFields {
  [name: string]: ResourceFields | null
}

/** What a `fields` parameter selects; null: the whole field. */
type Mask = Map<string, Mask | null>

/** The selected part of the JSON; or the unknown field name that Google's refusal would quote. */
export function selectFields(
  json: unknown,
  fields: ResourceFields,
  text: string,
): { json: unknown } | { invalid: string } {
  const mask = parseMask(text)
  if (mask === null) return { invalid: text }
  const invalid = findUnknown(mask, fields)
  return invalid === null ? { json: keep(json, mask) } : { invalid }
}

/** Whether a mask selects a field, given by its path: `['files', 'permissions']`. */
export function selects(text: string, path: readonly string[]): boolean {
  let mask = parseMask(text)
  for (const name of path) {
    if (mask === null || mask.has('*')) return true
    const next: Mask | null | undefined = mask.get(name)
    if (next === undefined) return false
    if (next === null) return true
    mask = next
  }
  return true
}

const NAME = /^(?:\*|[A-Za-z0-9]+)$/

/** Parses `a,b/c,d(e,f/g),*`; null for other text. */
function parseMask(text: string): Mask | null {
  const tokens = text.replaceAll(' ', '').match(/[A-Za-z0-9*]+|[(),/]|[^]/g) ?? []
  let at = 0

  function readField(into: Mask): boolean {
    const name = tokens[at]
    if (name === undefined || !NAME.test(name)) return false
    at += 1
    const isNested = tokens[at] === '/' || tokens[at] === '('
    const known = into.get(name)
    if (!isNested) {
      into.set(name, null)
      return true
    }
    const inner: Mask = known ?? new Map()
    if (known !== null || !into.has(name)) into.set(name, inner)
    if (tokens[at++] === '/') return readField(inner)
    return readList(inner) && tokens[at++] === ')'
  }

  function readList(into: Mask): boolean {
    for (;;) {
      if (!readField(into)) return false
      if (tokens[at] !== ',') return true
      at += 1
    }
  }

  const mask: Mask = new Map()
  return readList(mask) && at === tokens.length ? mask : null
}

function findUnknown(mask: Mask, fields: ResourceFields): string | null {
  for (const [name, inner] of mask) {
    if (name === '*') continue
    if (!Object.hasOwn(fields, name)) return name
    const known = fields[name]
    const unknown = inner === null || !known ? null : findUnknown(inner, known)
    if (unknown !== null) return unknown
  }
  return null
}

function keep(json: unknown, mask: Mask): unknown {
  if (Array.isArray(json)) return json.map((one: unknown) => keep(one, mask))
  if (typeof json !== 'object' || json === null) return json
  const kept = Object.entries(json).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
    const inner = mask.get(name) ?? mask.get('*')
    if (inner === undefined) return mask.has(name) || mask.has('*') ? [[name, value]] : []
    return [[name, inner === null ? value : keep(value, inner)]]
  })
  return Object.fromEntries(kept)
}
