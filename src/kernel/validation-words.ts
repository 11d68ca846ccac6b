import { z } from 'zod'
import { nearestName } from './nearest-name.ts'

type RawIssue = z.core.$ZodRawIssue

const VALUES_LISTED_MAX = 20

/** Ends a sentence: `limit` `must be at most 25`. It never quotes the value, which can be secret. */
export function phraseIssue(issue: RawIssue): string {
  if (issue.input === undefined) return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(isWhole(issue.inst) ? 'int' : issue.expected)}${insteadOf(issue.input)}`
    case 'invalid_value':
      return oneOf(issue.values, issue.input)
    case 'too_big':
    case 'too_small':
      return outOfBounds(issue)
    case 'invalid_format':
      return `must be ${formatName(issue.format)}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_key':
      return `has a name that ${issue.issues[0]?.message ?? 'is not allowed'}`
    case 'invalid_union':
      return unionOf(issue.errors, issue.input)
    case 'unrecognized_keys':
      return 'has unknown fields'
    case 'invalid_element':
    case 'custom':
      return 'is not valid'
  }
}

/** `z.int()` reports the expected type as `number`, and `int` only for a fraction. */
function isWhole(schema: unknown): boolean {
  return schema instanceof z.ZodNumber && schema.isInt
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  nan: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function typeName(expected: string): string {
  return TYPE_NAMES[expected] ?? `of the type ${expected}`
}

/** The type that was sent, when it helps: a fraction is still a number, so it is not named. */
function insteadOf(input: unknown): string {
  if (input === null) return ', not null'
  if (Array.isArray(input)) return ', not an array'
  switch (typeof input) {
    case 'string':
      return ', not a string'
    case 'boolean':
      return ', not a boolean'
    case 'object':
      return ', not an object'
    default:
      return ''
  }
}

const FORMAT_NAMES: Record<string, string> = {
  uuid: 'a UUID',
  datetime: 'a timestamp in ISO 8601 with a time zone, such as 2026-05-04T10:20:30Z',
  date: 'a date such as 2026-05-04',
  url: 'a URL',
  email: 'an email address',
}

function formatName(format: string): string {
  return FORMAT_NAMES[format] ?? 'in the expected format'
}

function oneOf(values: readonly z.core.util.Primitive[], input: unknown): string {
  const names = values.map(named)
  const shown = names.slice(0, VALUES_LISTED_MAX).join(', ') + (names.length > VALUES_LISTED_MAX ? ', …' : '')
  const known = values.filter((value) => typeof value === 'string')
  const nearest = typeof input === 'string' ? nearestName(input, known) : undefined
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return `must be ${names.length === 1 ? '' : 'one of '}${shown}${hint}`
}

function unionOf(forms: readonly (readonly z.core.$ZodIssue[])[], input: unknown): string {
  const issues = forms.flat().filter(({ path }) => path.length === 0)
  const values = issues.flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : []))
  const types = issues.flatMap((issue) => (issue.code === 'invalid_type' ? [typeName(issue.expected)] : []))
  const expected = [...values.map(named), ...types]
  const last = expected.pop()
  if (last === undefined) return 'matches none of the allowed forms'
  const isOfType = values.some((value) => typeof value === typeof input)
  const instead = isOfType ? '' : insteadOf(input)
  return `must be ${expected.length === 0 ? last : `${expected.join(', ')} or ${last}`}${instead}`
}

function named(value: z.core.util.Primitive): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}

type BoundIssue = Extract<RawIssue, { code: 'too_big' | 'too_small' }>

function outOfBounds(issue: BoundIssue): string {
  const { least, most } = boundsOf(issue)
  const unit = UNITS[issue.origin]
  if (issue.code === 'too_small' && unit !== undefined && least === 1 && most === undefined)
    return 'must not be empty'
  const verb = unit === undefined ? 'must be' : 'must have'
  const what = (count: number): string => (unit === undefined ? '' : ` ${count === 1 ? unit[0] : unit[1]}`)
  if (least !== undefined && most !== undefined) {
    if (least === most) return `${verb} exactly ${most}${what(most)}`
    return unit === undefined
      ? `must be from ${least} to ${most}`
      : `must have ${least} to ${most}${what(most)}`
  }
  if (most !== undefined) return `${verb} ${isOpen(issue) ? 'less than' : 'at most'} ${most}${what(most)}`
  if (least !== undefined) return `${verb} ${isOpen(issue) ? 'more than' : 'at least'} ${least}${what(least)}`
  return 'is out of bounds'
}

const UNITS: Record<string, readonly [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
}

function isOpen(issue: BoundIssue): boolean {
  return issue.inclusive === false
}

/** The violated bound and the opposite one, when the schema has it. */
function boundsOf(issue: BoundIssue): { least: number | undefined; most: number | undefined } {
  const bounds: { least: number | undefined; most: number | undefined } = {
    least: undefined,
    most: undefined,
  }
  if (!isOpen(issue)) {
    for (const { _zod } of issue.schema?._zod.def.checks ?? []) {
      const { def } = _zod
      if ('minimum' in def && typeof def.minimum === 'number') bounds.least = def.minimum
      if ('maximum' in def && typeof def.maximum === 'number') bounds.most = def.maximum
      if (!('value' in def) || typeof def.value !== 'number' || !('inclusive' in def) || !def.inclusive)
        continue
      if (def.check === 'greater_than') bounds.least = def.value
      if (def.check === 'less_than') bounds.most = def.value
    }
  }
  if (issue.code === 'too_big') bounds.most = Number(issue.maximum)
  else bounds.least = Number(issue.minimum)
  return bounds
}
