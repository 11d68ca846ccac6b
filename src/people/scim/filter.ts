import { parseJson } from '../../kernel/parse-json.ts'
import { isStorable } from '../../kernel/text.ts'
import { CORE_SCHEMA } from './patch.ts'
import { scimError } from './scim-error.ts'

/** The one comparison that identity providers send: an attribute equals a text. */
export interface ScimFilter {
  /** Lowercase, because attribute names ignore case. */
  attribute: string
  value: string
}

const CHARACTERS_MAX = 1_000
/** `emails[type eq "work"].value` also matches as the address. */
const EQUALS = /^([a-z][\w.:$-]*)(?:\[[^\]"]*"[^"]*"\](\.[a-z]+))?\s+eq\s+("(?:[^"\\]|\\.)*")$/i

/** Parses `attribute eq "value"` (RFC 7644, section 3.4.2.2). @throws AppError `validation_failed` */
export function parseFilter(text: string, attributes: readonly string[]): ScimFilter {
  const match = text.length > CHARACTERS_MAX ? null : EQUALS.exec(text.trim().replace(CORE_SCHEMA, ''))
  const attribute = `${match?.[1] ?? ''}${match?.[2] ?? ''}`.toLowerCase()
  const known = attributes.find((one) => one.toLowerCase() === attribute)
  const value = parseJson(match?.[3] ?? '')
  if (known === undefined || typeof value !== 'string' || !isStorable(value))
    throw scimError(
      'validation_failed',
      'invalidFilter',
      `The filter must be one of: ${attributes.map((one) => `${one} eq "…"`).join(', ')}`,
    )
  return { attribute, value }
}
