import { createHash } from 'node:crypto'
import { stringify } from 'yaml'

/** Part of a parsed template. */
type Part =
  | { is: 'text'; text: string }
  | { is: 'value'; expression: string }
  | { is: 'if' | 'with' | 'range'; head: string; body: Part[]; otherwise: Part[] }

interface Scope {
  dot: unknown
  root: unknown
  variables: ReadonlyMap<string, unknown>
}

/** Named templates, by name. */
type Definitions = Map<string, Part[]>

const ACTION = /\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g
const TOKEN = /"(?:[^"\\]|\\.)*"|\(|\)|\||[^\s()|"]+/g

/**
 * Renders the templates of a chart with the part of Helm's language that it uses: `define`, `include`, `if`, `with`,
 * `range`, pipelines and the functions below. It stands in for `helm template` where there is no Helm.
 * @throws Error for whatever else a template contains
 */
export function renderChart(templates: Readonly<Record<string, string>>, root: object): Map<string, string> {
  const definitions: Definitions = new Map()
  const parsed = Object.entries(templates).map(
    ([name, text]) => [name, parseTemplate(text, definitions)] as const,
  )
  const scope: Scope = { dot: root, root, variables: new Map() }
  return new Map(
    parsed
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, parts]) => [name, renderParts(parts, scope, definitions)]),
  )
}

type Open = { parts: Part[]; close: (parts: Part[]) => void; otherwise?: () => Part[] }

function parseTemplate(text: string, definitions: Definitions): Part[] {
  const whole: Part[] = []
  const open: Open[] = [{ parts: whole, close: () => {} }]
  let at = 0
  let trimsNext = false
  for (const match of text.matchAll(ACTION)) {
    const [all, trimsBefore, action = '', trimsAfter] = match
    const before = text.slice(at, match.index)
    const started = trimsNext ? before.trimStart() : before
    const top = open.at(-1)
    if (top === undefined) throw new Error('an end too many')
    top.parts.push({ is: 'text', text: trimsBefore === '-' ? started.trimEnd() : started })
    handleAction(action, open, definitions)
    at = match.index + all.length
    trimsNext = trimsAfter === '-'
  }
  if (open.length !== 1) throw new Error('an end is missing')
  const rest = text.slice(at)
  whole.push({ is: 'text', text: trimsNext ? rest.trimStart() : rest })
  return whole
}

function handleAction(action: string, open: Open[], definitions: Definitions): void {
  const top = open.at(-1)
  if (top === undefined || action.startsWith('/*')) return
  const word = /^\S+/.exec(action)?.[0] ?? ''
  const head = action.replace(/^\S+\s*/, '')
  switch (word) {
    case 'define': {
      const name = String(JSON.parse(head))
      open.push({ parts: [], close: (parts) => void definitions.set(name, parts) })
      return
    }
    case 'if':
    case 'with':
    case 'range': {
      const block: Part = { is: word, head, body: [], otherwise: [] }
      top.parts.push(block)
      open.push({ parts: block.body, close: () => {}, otherwise: () => block.otherwise })
      return
    }
    case 'else':
      if (head !== '' || top.otherwise === undefined) throw new Error(`"${action}" is not supported`)
      top.parts = top.otherwise()
      return
    case 'end':
      open.pop()
      top.close(top.parts)
      return
    default:
      top.parts.push({ is: 'value', expression: action })
  }
}

function renderParts(parts: readonly Part[], scope: Scope, definitions: Definitions): string {
  return parts.map((part) => renderPart(part, scope, definitions)).join('')
}

function renderPart(part: Part, scope: Scope, definitions: Definitions): string {
  switch (part.is) {
    case 'text':
      return part.text
    case 'value': {
      const value = evaluate(part.expression, scope, definitions)
      if (value === undefined || value === null) throw new Error(`{{ ${part.expression} }} has no value`)
      return String(value)
    }
    case 'range':
      return renderRange(part, scope, definitions)
    default: {
      const value = evaluate(part.head, scope, definitions)
      if (!isTrue(value)) return renderParts(part.otherwise, scope, definitions)
      return renderParts(part.body, part.is === 'with' ? { ...scope, dot: value } : scope, definitions)
    }
  }
}

function renderRange(part: Extract<Part, { body: Part[] }>, scope: Scope, definitions: Definitions): string {
  const [, first, second, list] = /^(\$\w+)(?:,\s*(\$\w+))?\s*:=\s*(.+)$/.exec(part.head) ?? []
  if (first === undefined || list === undefined) throw new Error(`range needs a variable: ${part.head}`)
  const entries = Object.entries(Object(evaluate(list, scope, definitions)))
  return entries
    .map(([key, value]) => {
      const own: [string, unknown][] =
        second === undefined
          ? [[first, value]]
          : [
              [first, key],
              [second, value],
            ]
      const variables = new Map([...scope.variables, ...own])
      return renderParts(part.body, { ...scope, dot: value, variables }, definitions)
    })
    .join('')
}

function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function evaluate(expression: string, scope: Scope, definitions: Definitions): unknown {
  const tokens = expression.match(TOKEN) ?? []
  let at = 0
  const operand = (): unknown => {
    const token = tokens[at++] ?? ''
    if (token === '(') {
      const value = pipeline()
      at++
      // A field of what stands in parentheses is not supported.
      return value
    }
    if (token.startsWith('"')) return JSON.parse(token)
    if (/^\d+$/.test(token)) return Number(token)
    return lookUp(token, scope)
  }
  const command = (piped: unknown[]): unknown => {
    const name = tokens[at] ?? ''
    const call = Object.hasOwn(FUNCTIONS, name) || name === 'include' ? name : undefined
    if (call !== undefined) at++
    const given: unknown[] = []
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') given.push(operand())
    if (call === undefined) return given[0]
    if (call !== 'include') return FUNCTIONS[call]?.(...given, ...piped)
    const [template, dot] = given
    const parts = definitions.get(String(template))
    if (parts === undefined) throw new Error(`there is no template ${String(template)}`)
    return renderParts(parts, { dot, root: dot, variables: new Map() }, definitions)
  }
  const pipeline = (): unknown => {
    let value = command([])
    while (tokens[at] === '|') {
      at++
      value = command([value])
    }
    return value
  }
  return pipeline()
}

/** `.a.b`, `$`, `$.a` and `$name.a`. */
function lookUp(token: string, { dot, root, variables }: Scope): unknown {
  const [start = '', ...fields] = token.split('.')
  const from = start === '' ? dot : start === '$' ? root : variables.get(start)
  if (start !== '' && start !== '$' && !variables.has(start)) throw new Error(`"${token}" is not known`)
  return fields.filter((field) => field !== '').reduce((value, field) => Object(value)[field], from)
}

const FUNCTIONS: Readonly<Record<string, (...given: unknown[]) => unknown>> = {
  quote: (value) => JSON.stringify(String(value)),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  trunc: (length, text) => String(text).slice(0, Number(length)),
  trimSuffix: (suffix, text) =>
    String(text).endsWith(String(suffix)) ? String(text).slice(0, -String(suffix).length) : text,
  printf: (format, ...values) => String(format).replaceAll('%s', () => String(values.shift())),
  dict: (...pairs) =>
    Object.fromEntries(pairs.flatMap((key, at) => (at % 2 === 0 ? [[String(key), pairs[at + 1]]] : []))),
  toYaml: (value) => stringify(value).trimEnd(),
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
  nindent: (spaces, text) =>
    `\n${String(text)
      .split('\n')
      .map((line) => (line === '' ? line : ' '.repeat(Number(spaces)) + line))
      .join('\n')}`,
}
