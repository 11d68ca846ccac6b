/** A nested form or query value: text, a list, or fields by name. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue }

const DEPTH_MAX = 8

/**
 * Parses `a[b][0]=c&d[]=e`, as Stripe's clients write it, into `{ a: { b: ['c'] }, d: ['e'] }`. Fields with only
 * numeric names form a list.
 */
export function parseForm(text: string): Record<string, FormValue> {
  const root: Tree = new Map()
  for (const [name, value] of new URLSearchParams(text)) insert(root, segmentsOf(name), value)
  return Object.fromEntries([...root].map(([name, node]) => [name, toValue(node)]))
}

type Tree = Map<string, Tree | string>

function segmentsOf(name: string): string[] {
  const [head = '', ...rest] = name.split('[').slice(0, DEPTH_MAX)
  return [head, ...rest.map((part) => (part.endsWith(']') ? part.slice(0, -1) : part))]
}

function insert(root: Tree, segments: string[], value: string): void {
  let tree = root
  const [last = '', ...parents] = segments.toReversed()
  for (const segment of parents.toReversed()) {
    const key = keyIn(tree, segment)
    const child = tree.get(key)
    const next: Tree = child instanceof Map ? child : new Map()
    tree.set(key, next)
    tree = next
  }
  tree.set(keyIn(tree, last), value)
}

/** `[]` takes the next index of its list. */
function keyIn(tree: Tree, segment: string): string {
  return segment === '' ? String(tree.size) : segment
}

function toValue(node: Tree | string): FormValue {
  if (typeof node === 'string') return node
  const entries = [...node]
  const isList = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name))
  if (isList) return entries.map(([, child]) => toValue(child))
  return Object.fromEntries(entries.map(([name, child]) => [name, toValue(child)]))
}
