import { AppError, validationError } from '../kernel/errors.ts'
import { storableJson, storableText } from '../kernel/text.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

/** Deeper nesting is refused: no document needs it, and PostgreSQL and JSON.stringify recurse. */
export const JSON_DEPTH_MAX = 64
/** Values in a body, lists and objects included, outside the entries of {@link BodyLimits}. */
const VALUES_MAX = 10_000
/** Keys of one object: a schema validates each key before it checks their number. */
const KEYS_MAX = 2_000
/** A double's range ends at 1.8e308: a shorter number without an exponent is inside it. */
const FINITE_DIGITS = 300

/** The limits of a body that is a list of entries, such as documents. */
export interface BodyLimits {
  /** Entries of a top-level list. */
  entriesMax: number
  /** Values in one entry, lists and objects included. */
  entryValuesMax: number
  /** Values in one field of an entry. */
  fieldValuesMax: number
}

/** The message for a field with too many values, here and in its schema. */
export function tooManyValues(valuesMax: number): string {
  return `must have at most ${valuesMax} values, counting those inside lists and objects`
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** UTF-8 JSON has NUL and lone surrogates only as escapes. Also matches escaped backslashes, which is harmless. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i

/**
 * Parses a request body strictly: valid UTF-8, RFC 8259 JSON, no repeated key in an object (RFC 8259 section 4 leaves
 * their meaning open), no number beyond a double's range, no key that reaches an object's prototype, bounded depth and
 * number of values. It checks all bounds before it builds a value.
 * Strings and keys come out as PostgreSQL can store them, and keys are compared in that form: what a schema validates
 * is what is compared, stored and sent.
 * @param fields of a top-level object. The walk stops at any other field and never reads its value.
 * @throws AppError `malformed_json` that names the fault; `validation_failed` for too many values, naming the entry,
 * and for an unknown field
 */
export function parseJsonBody(bytes: Uint8Array, limits?: BodyLimits, fields?: readonly string[]): unknown {
  const text = decode(bytes)
  refuseAmbiguousOrHuge(text, limits, fields)
  try {
    const value: unknown = JSON.parse(text)
    return UNSTORABLE_ESCAPE.test(text) ? storableJson(value) : value
  } catch (error) {
    const reason = messageOf(error)
    throw new AppError('malformed_json', `The request body is not valid JSON: ${withoutContent(reason)}`, {
      cause: error,
    })
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new AppError('malformed_json', 'The request body is not valid UTF-8', { cause: error })
  }
}

/** V8 quotes the document in its messages. The body can be secret, so only the position is kept. */
function withoutContent(reason: string): string {
  const position = /at position \d+/.exec(reason)?.[0]
  return (
    position ?? (reason.startsWith('Unexpected end') ? 'it ends too early' : 'it has an unexpected character')
  )
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

interface Container {
  /** Null for a list. */
  keys: Set<string> | null
  /** Its key in the parent object; undefined in a list and at the top. */
  under: string | undefined
  /** The key of its next value. */
  key: string | undefined
  expectsKey: boolean
  /** Entries of a list before the current one. */
  index: number
}

/** Walks the text once in linear time. May overlook broken JSON, which the parser reports, but misreads none. */
function refuseAmbiguousOrHuge(
  text: string,
  limits: BodyLimits | undefined,
  fields: readonly string[] | undefined,
): void {
  const open: Container[] = []
  const counter = createCounter(open, limits)
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    const inside = open.at(-1)
    switch (code) {
      case QUOTE: {
        const end = endOfString(text, at)
        if (inside?.expectsKey) {
          const name = unquoted(text.slice(at, end))
          if (open.length === 1) refuseUnknownField(name, fields)
          takeKey(inside, name, open)
        } else counter.count()
        at = end
        break
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        counter.count()
        open.push(container(code === OPEN_OBJECT, inside))
        if (open.length > JSON_DEPTH_MAX) throw malformed(`is nested deeper than ${JSON_DEPTH_MAX} levels`)
        at += 1
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        open.pop()
        at += 1
        break
      case COMMA:
        if (inside) {
          inside.expectsKey = inside.keys !== null
          inside.index += 1
        }
        at += 1
        break
      default:
        if (isBetweenTokens(code)) at += 1
        else {
          counter.count()
          const end = endOfLiteral(text, at)
          refuseInfinite(text.slice(at, end))
          at = end
        }
    }
  }
}

function container(isObject: boolean, inside: Container | undefined): Container {
  return {
    keys: isObject ? new Set() : null,
    under: inside?.keys ? inside.key : undefined,
    key: undefined,
    expectsKey: isObject,
    index: 0,
  }
}

/** Counts values, separately for each entry of a top-level list when there are limits for it. */
function createCounter(open: readonly Container[], limits: BodyLimits | undefined): { count(): void } {
  let outside = 0
  let inEntry = 0
  let inField = 0
  return {
    count() {
      const list = limits && open.length >= 2 && open[1]?.keys === null ? open[1] : undefined
      if (!limits || !list) {
        outside += 1
        if (outside > VALUES_MAX) throw invalid('', `The body has more than ${VALUES_MAX} values`)
        return
      }
      const name = list.under ?? 'list'
      if (list.index >= limits.entriesMax)
        throw invalid(name, `${name} must have at most ${limits.entriesMax} ${name} per request`)
      inEntry = open.length === 2 ? 0 : inEntry + 1
      inField = open.length <= 3 ? 0 : inField + 1
      if (inField > limits.fieldValuesMax) {
        const field = `${name}.${list.index}.${open[2]?.key ?? ''}`
        throw invalid(field, `${field} ${tooManyValues(limits.fieldValuesMax)}`)
      }
      if (inEntry > limits.entryValuesMax) {
        const entry = `${name}.${list.index}`
        throw invalid(entry, `${entry} has more than ${limits.entryValuesMax} values`)
      }
    },
  }
}

/** Refuses an unknown top-level field before its value is read. */
function refuseUnknownField(name: string, known: readonly string[] | undefined): void {
  if (known?.includes(name) === false)
    throw invalid('', `The body has an unknown field; it accepts ${known.join(', ')}`)
}

function takeKey(inside: Container, name: string, open: readonly Container[]): void {
  if (name === '__proto__' || (name === 'prototype' && inside.under === 'constructor'))
    throw malformed(`has the key "${name}", which is not allowed`)
  if (inside.keys?.has(name)) throw malformed('has the same key twice in one object')
  inside.keys?.add(name)
  if ((inside.keys?.size ?? 0) > KEYS_MAX) {
    const path = pathOf(open)
    throw invalid(path, `${path === '' ? 'The body' : path} must have at most ${KEYS_MAX} keys`)
  }
  inside.key = name
  inside.expectsKey = false
}

/** The dotted path of the innermost open container; '' for the whole body. */
function pathOf(open: readonly Container[]): string {
  return open
    .slice(1)
    .map(({ under }, at) => under ?? open[at]?.index)
    .join('.')
}

function unquoted(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return storableText(String(JSON.parse(quoted)))
  } catch {
    // Broken: the parser reports where.
    return quoted
  }
}

/** The position after the string that begins at `start`; the end of the text when it is not closed. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote !== -1) {
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
    quote = text.indexOf('"', quote + 1)
  }
  return text.length
}

function endOfLiteral(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at += 1
  return at
}

function isBetweenTokens(code: number): boolean {
  return code <= 0x20 || code === COLON
}

function isDelimiter(code: number): boolean {
  return (
    isBetweenTokens(code) ||
    code === COMMA ||
    code === QUOTE ||
    code === OPEN_LIST ||
    code === CLOSE_LIST ||
    code === OPEN_OBJECT ||
    code === CLOSE_OBJECT
  )
}

/** It would be stored as null. */
function refuseInfinite(literal: string): void {
  if (literal.length < FINITE_DIGITS && !/[eE]/.test(literal)) return
  if (Math.abs(Number(literal)) === Infinity) throw malformed('has a number that is too large')
}

function malformed(what: string): AppError {
  return new AppError('malformed_json', `The request body ${what}`)
}

function invalid(path: string, message: string): AppError {
  return validationError([{ path, message }])
}
