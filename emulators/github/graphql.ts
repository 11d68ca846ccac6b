/** The part of GraphQL that clients of the emulator use: one query with variables, fields and arguments. */

export type Value = string | number | boolean | null | { readonly [name: string]: Value }
type Arguments = Readonly<Record<string, Value>>

type Result = string | number | boolean | null | Node | readonly Node[]

/** An object of a type: its fields as functions of their arguments. */
export class Node {
  readonly type: string
  readonly fields: Readonly<Record<string, (args: Arguments) => Result>>
  /** The arguments that a field takes; none by default. */
  readonly takes: Readonly<Record<string, readonly string[]>>

  constructor(type: string, fields: Node['fields'], takes: Node['takes'] = {}) {
    this.type = type
    this.fields = fields
    this.takes = takes
  }
}

export interface GraphQlFailure {
  type?: string
  message: string
  path?: string[]
}

/** A refusal of a query, or of one of its fields. */
export class GraphQlError extends Error {
  readonly type: string | undefined

  constructor(message: string, type?: string) {
    super(message)
    this.type = type
  }
}

interface Selection {
  name: string
  args: Arguments
  fields: Selection[]
}

const NODES_MAX = 500_000
const TOKEN = /\s*(?:([A-Za-z_]\w*)|(\$[A-Za-z_]\w*)|(-?\d+)|"([^"\\]*)"|([{}()[\]:!,=]))/y

/** The response to a query: the available data, and why the rest is missing. */
export function answerQuery(
  query: string,
  variables: Arguments,
  root: Node,
): { data?: unknown; errors?: GraphQlFailure[] } {
  try {
    const selections = parse(query, variables)
    if (nodesOf(selections, 1) > NODES_MAX)
      throw new GraphQlError(`This query requests more than ${NODES_MAX} nodes`, 'MAX_NODE_LIMIT_EXCEEDED')
    const errors: GraphQlFailure[] = []
    const data = resolve(root, selections, [], errors)
    return errors.length > 0 ? { data, errors } : { data }
  } catch (error) {
    if (!(error instanceof GraphQlError)) throw error
    return { errors: [{ message: error.message, ...(error.type && { type: error.type }) }] }
  }
}

function parse(query: string, variables: Arguments): Selection[] {
  const tokens = tokensOf(query)
  const peek = (): string => tokens[0] ?? ''
  const next = (): string => tokens.shift() ?? ''
  const expect = (token: string): void => {
    const found = next()
    if (found !== token) throw new GraphQlError(`Parse error on "${found}": expected "${token}"`)
  }
  const declared = new Set<string>()

  function valueOf(): Value {
    const token = next()
    if (token.startsWith('$')) {
      if (!declared.has(token)) throw new GraphQlError(`Variable ${token} is used but not declared`)
      return variables[token.slice(1)] ?? null
    }
    if (token === '{') {
      const object: Record<string, Value> = {}
      while (peek() !== '}') {
        if (peek() === ',') next()
        const name = next()
        expect(':')
        object[name] = valueOf()
      }
      next()
      return object
    }
    if (/^-?\d+$/.test(token)) return Number(token)
    return token.replace(/^"/, '')
  }

  function argumentsOf(): Record<string, Value> {
    const args: Record<string, Value> = {}
    if (peek() !== '(') return args
    next()
    while (peek() !== ')') {
      if (peek() === ',') next()
      const name = next()
      expect(':')
      args[name] = valueOf()
    }
    next()
    return args
  }

  function selectionsOf(): Selection[] {
    const selections: Selection[] = []
    if (peek() !== '{') return selections
    next()
    while (peek() !== '}') {
      if (tokens.length === 0) throw new GraphQlError('Parse error on end of query')
      const name = next()
      selections.push({ name, args: argumentsOf(), fields: selectionsOf() })
    }
    next()
    return selections
  }

  expect('query')
  if (peek() === '(') {
    for (let token = next(); token !== ')'; token = next()) {
      if (token === '') throw new GraphQlError('Parse error on end of query')
      if (token.startsWith('$')) declare(token, tokens, variables, declared)
    }
  }
  return selectionsOf()
}

/** A variable whose type ends with an exclamation mark must be given. */
function declare(
  name: string,
  [, type, mark]: readonly string[],
  variables: Arguments,
  declared: Set<string>,
): void {
  declared.add(name)
  if (mark === '!' && variables[name.slice(1)] == null)
    throw new GraphQlError(`Variable ${name} of type ${type}! was provided invalid value`)
}

function tokensOf(query: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (query.slice(TOKEN.lastIndex).trim() !== '') {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(query)
    if (match === null) throw new GraphQlError(`Parse error on "${query.slice(at, at + 20)}"`)
    const [, name, variable, number, text, mark] = match
    tokens.push(name ?? variable ?? number ?? mark ?? `"${text}`)
  }
  return tokens
}

/** How many nodes a query may return (docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api). */
const nodesOf = (selections: readonly Selection[], times: number): number =>
  selections.reduce((sum, { args: { first }, fields }) => {
    const here = typeof first === 'number' ? times * first : 0
    return sum + here + nodesOf(fields, here || times)
  }, 0)

function resolve(
  { type, fields, takes }: Node,
  selections: readonly Selection[],
  path: readonly string[],
  errors: GraphQlFailure[],
): Record<string, unknown> {
  const answer: Record<string, unknown> = {}
  for (const { name, args, fields: below } of selections) {
    const field = fields[name]
    if (field === undefined) throw new GraphQlError(`Field '${name}' doesn't exist on type '${type}'`)
    const unknown = Object.keys(args).find((one) => takes[name]?.includes(one) !== true)
    if (unknown !== undefined) throw new GraphQlError(`Field '${name}' doesn't accept argument '${unknown}'`)
    try {
      const value = field(args)
      answer[name] = shown(value, { name, below, path: [...path, name], errors })
    } catch (error) {
      if (!(error instanceof GraphQlError) || error.type === undefined) throw error
      answer[name] = null
      errors.push({ type: error.type, message: error.message, path: [...path, name] })
    }
  }
  return answer
}

function shown(
  value: Result,
  at: { name: string; below: readonly Selection[]; path: readonly string[]; errors: GraphQlFailure[] },
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (at.below.length === 0) throw new GraphQlError(`Field must have selections (field '${at.name}')`)
  if (value instanceof Node) return resolve(value, at.below, at.path, at.errors)
  return value.map((one) => resolve(one, at.below, at.path, at.errors))
}

/** A page of a list by `first` and `after`; `keyOf` is the content of a cursor. */
export function connection<Entry>(
  type: string,
  all: readonly Entry[],
  keyOf: (entry: Entry) => string,
  show: (entry: Entry) => Node,
): (args: Arguments) => Node {
  return ({ first = null, after = null }) => {
    if (typeof first !== 'number')
      throw new GraphQlError(
        `You must provide a \`first\` or \`last\` value to properly paginate the \`${type}\` connection.`,
        'MISSING_PAGINATION_BOUNDARIES',
      )
    if (first < 1 || first > 100)
      throw new GraphQlError(
        `Requesting ${first} records on the \`${type}\` connection exceeds the \`first\` limit of 100 records.`,
        'EXCESSIVE_PAGINATION',
      )
    const key = typeof after === 'string' ? Buffer.from(after, 'base64').toString('utf8') : null
    const begin = key === null ? 0 : all.findIndex((entry) => keyOf(entry) === key) + 1
    const page = all.slice(begin, begin + first)
    const last = page.at(-1)
    const pageInfo = new Node('PageInfo', {
      endCursor: () => (last === undefined ? null : Buffer.from(keyOf(last)).toString('base64')),
      hasNextPage: () => begin + first < all.length,
    })
    return new Node(`${type}Connection`, {
      nodes: () => page.map(show),
      pageInfo: () => pageInfo,
      totalCount: () => all.length,
    })
  }
}
