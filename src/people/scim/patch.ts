import { z } from 'zod'
import { scimError } from './scim-error.ts'

/** The same for the changes of all operations together, because an operation can have many. */
const OPERATIONS_MAX = 1_000

/** The body of a PATCH (RFC 7644, section 3.5.2). Microsoft Entra ID writes `Add`, `Replace` and `Remove`. */
export const PatchBody = z.looseObject({
  Operations: z
    .array(
      z.looseObject({
        op: z
          .string()
          .toLowerCase()
          .pipe(z.enum(['add', 'replace', 'remove'])),
        path: z.string().max(1_000).nullish(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(OPERATIONS_MAX)
    .refine(
      (all) => all.reduce((sum, one) => sum + changesIn(one), 0) <= OPERATIONS_MAX,
      `must make at most ${OPERATIONS_MAX} changes together`,
    ),
})

function changesIn({ path, value }: { path?: string | null | undefined; value?: unknown }): number {
  return path || typeof value !== 'object' || value === null ? 1 : Object.keys(value).length
}

export interface PatchStep {
  op: 'add' | 'replace' | 'remove'
  /** Lowercase. */
  attribute: string
  /** Lowercase: `givenname` of `name.givenName`. */
  part: string | null
  /** `[type eq "work"]`. */
  where: { attribute: string; value: string } | null
  value: unknown
}

const PATH = /^([a-z][\w$-]*)(?:\[([a-z]+) eq (?:"([^"]*)"|(true|false))\])?(?:\.([a-z]\w*))?$/i
/** Before the name of an attribute. */
export const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i

const Values = z.record(z.string(), z.unknown())

/** Splits a PATCH into changes, with a path or an object of paths. @throws AppError `validation_failed` */
export function stepsOf({ Operations }: z.output<typeof PatchBody>): PatchStep[] {
  return Operations.flatMap(({ op, path, value }) => {
    if (path) return stepOf(op, path, value)
    const values = Values.safeParse(value)
    if (!values.success)
      throw scimError(
        'validation_failed',
        op === 'remove' ? 'noTarget' : 'invalidValue',
        'An operation without a path needs an object as its value',
      )
    return Object.entries(values.data).flatMap(([key, inner]) => stepOf(op, key, inner))
  })
}

function stepOf(op: PatchStep['op'], path: string, value: unknown): PatchStep[] {
  const plain = path.trim().replace(CORE_SCHEMA, '').replaceAll(/\s+/g, ' ')
  if (/^urn:/i.test(plain)) return []
  const match = PATH.exec(plain)
  if (!match)
    throw scimError('validation_failed', 'invalidPath', `The path ${plain.slice(0, 100)} is not supported`)
  const [, attribute = '', by, text, flag, part] = match
  return [
    {
      op,
      attribute: attribute.toLowerCase(),
      part: part?.toLowerCase() ?? null,
      where: by === undefined ? null : { attribute: by.toLowerCase(), value: text ?? flag ?? '' },
      value,
    },
  ]
}
