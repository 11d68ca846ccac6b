import { visit } from 'jsonc-parser'
import { AppError } from '../kernel/errors.ts'

/** Deeper nesting is refused: no document needs it, and PostgreSQL and JSON.stringify recurse. */
export const JSON_DEPTH_MAX = 64

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses a request body strictly: valid UTF-8, RFC 8259 JSON, no repeated key in an object (RFC 8259 section 4 leaves
 * their meaning open), no number past a double's range, no key that reaches an object's prototype, bounded depth.
 * @throws AppError `malformed_json` that says what is wrong.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const text = decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('malformed_json', `The request body is not valid JSON: ${withoutContent(reason)}`, {
      cause: error,
    })
  }
  refuseAmbiguousObjects(text)
  return value
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    throw new AppError('malformed_json', 'The request body is not valid UTF-8', { cause: error })
  }
}

/** V8 quotes the document in its messages; what a caller sent may be secret, so only the position is kept. */
function withoutContent(reason: string): string {
  return /at position \d+/.exec(reason)?.[0] ?? 'it ends too early or is empty'
}

function refuseAmbiguousObjects(text: string): void {
  const keys: Set<string>[] = []
  let depth = 0
  const enter = (): void => {
    depth += 1
    if (depth > JSON_DEPTH_MAX) {
      throw new AppError('malformed_json', `The request body is nested deeper than ${JSON_DEPTH_MAX} levels`)
    }
  }
  visit(
    text,
    {
      onObjectBegin() {
        enter()
        keys.push(new Set())
      },
      onObjectProperty(name, _offset, _length, _line, _character, pathOf) {
        const seen = keys.at(-1)
        if (name === '__proto__' || (name === 'prototype' && pathOf().at(-1) === 'constructor')) {
          throw new AppError('malformed_json', `The request body has the key "${name}", which is not allowed`)
        }
        if (seen?.has(name)) {
          throw new AppError('malformed_json', 'The request body has the same key twice in one object')
        }
        seen?.add(name)
      },
      onObjectEnd() {
        depth -= 1
        keys.pop()
      },
      onLiteralValue(value: unknown) {
        // It would be stored as null.
        if (typeof value === 'number' && !Number.isFinite(value)) {
          throw new AppError('malformed_json', 'The request body has a number that is too large')
        }
      },
      onArrayBegin: enter,
      onArrayEnd() {
        depth -= 1
      },
    },
    { disallowComments: true },
  )
}
