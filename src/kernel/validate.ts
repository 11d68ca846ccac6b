import { z } from 'zod'
import { validationError, type ValidationIssue } from './errors.ts'
import { nearestName } from './nearest-name.ts'
import { safeParse } from './safe-parse.ts'
import { clipped } from './text.ts'
import { phraseIssue } from './validation-words.ts'

/** How messages name the value and its parts. */
const PARTS = {
  body: { whole: 'The body', field: 'field' },
  query: { whole: 'The query', field: 'query parameter' },
  settings: { whole: 'The settings', field: 'setting' },
} as const

export type ValidatedPart = keyof typeof PARTS

/** Maximum number of faults reported. A request can have hundreds of thousands. */
const ISSUES_WORDED_MAX = 100
const NAMES_LISTED_MAX = 12
const NAME_CHARACTERS_MAX = 80
const PATH_CHARACTERS_MAX = 200

export type Validation<T> = { data: T } | { issues: ValidationIssue[]; count: number }

/** Checks a value against a schema. Unknown fields come first; `count` is all faults, `issues` the first hundred. */
export function findIssues<S extends z.ZodType>(
  schema: S,
  value: unknown,
  part: ValidatedPart,
): Validation<z.output<S>> {
  const knownNames = new Map<readonly string[], readonly string[]>()
  const result = safeParse(schema, value, (issue) => {
    if (issue.code === 'unrecognized_keys' && issue.inst instanceof z.ZodObject)
      knownNames.set(issue.keys, Object.keys(issue.inst.shape))
    return phraseIssue(issue)
  })
  if (result === null)
    return {
      issues: [{ path: '', message: `${PARTS[part].whole} contains an object where text is expected` }],
      count: 1,
    }
  if (result.success) return { data: result.data }
  const issues: ValidationIssue[] = []
  let count = 0
  const all = flatten(result.error.issues)
  for (const issue of all) {
    if (issue.code !== 'unrecognized_keys') continue
    count += issue.keys.length
    const known = knownNames.get(issue.keys) ?? []
    for (const key of issue.keys.slice(0, ISSUES_WORDED_MAX - issues.length))
      issues.push(unknownField(part, issue.path, key, known))
  }
  for (const issue of all) {
    if (issue.code === 'unrecognized_keys') continue
    count += 1
    if (issues.length < ISSUES_WORDED_MAX) issues.push(sentence(part, issue))
  }
  return { issues, count }
}

/** Parses a value. @throws AppError `validation_failed` that lists the faults */
export function validate<S extends z.ZodType>(schema: S, value: unknown, part: ValidatedPart): z.output<S> {
  const found = findIssues(schema, value, part)
  if ('data' in found) return found.data
  throw validationError(found.issues, found.count)
}

/** Refuses unknown names in a part of a request. @throws AppError `validation_failed` when there are any */
export function refuseUnknown(part: ValidatedPart, names: readonly string[], known: readonly string[]): void {
  if (names.length === 0) return
  const shown = names.slice(0, ISSUES_WORDED_MAX)
  throw validationError(
    shown.map((name) => unknownField(part, [], name, known)),
    names.length,
  )
}

/** For a union, keeps only the faults of the form that the sender meant, when that is clear. */
function flatten(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue]
    const meant = issue.errors.filter((inner) => !inner.some(isOfAnotherType))
    const [only] = meant
    if (only === undefined || meant.length > 1) return [issue]
    return flatten(only.map((inner) => Object.assign({}, inner, { path: [...issue.path, ...inner.path] })))
  })
}

function isOfAnotherType({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
}

function unknownField(
  part: ValidatedPart,
  parent: readonly PropertyKey[],
  key: string,
  known: readonly string[],
): ValidationIssue {
  const nearest = nearestName(key, known)
  const where = parent.length === 0 ? '' : ` in ${pathOf(parent)}`
  const hint = nearest === undefined ? `; ${listed(known)}` : `; did you mean "${nearest}"?`
  return {
    path: pathOf([...parent, key]),
    message: `unknown ${PARTS[part].field} "${clipped(key, NAME_CHARACTERS_MAX)}"${where}${hint}`,
  }
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_LISTED_MAX)
  if (shown.length === 0) return 'none is accepted'
  return `accepted: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`
}

function sentence(part: ValidatedPart, { path, message }: z.core.$ZodIssue): ValidationIssue {
  const where = pathOf(path)
  return { path: where, message: `${where === '' ? PARTS[part].whole : where} ${message}` }
}

/** Dotted; `''` for the whole value. */
function pathOf(path: readonly PropertyKey[]): string {
  return clipped(path.map(String).join('.'), PATH_CHARACTERS_MAX)
}
