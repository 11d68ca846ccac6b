import { z } from 'zod'
import { invalid } from './stripe-error.ts'

// Form values are text; these schemas parse numbers, booleans and empty values.

export const whole = z.coerce.number().int()
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
/** Text; an empty value unsets it. */
export const text = z.string().max(5_000)
/** Names with text; an empty value unsets a name, an empty text all of them. */
export const metadata = z.union([
  z
    .record(z.string().max(40), z.string().max(500))
    .refine((names) => Object.keys(names).length <= 50, 'at most 50 metadata keys'),
  z.literal('').transform(() => ({})),
])
/** Paths to expand from ids to objects. */
export const expand = z.array(z.string()).optional()
/** Accepted but ignored, since it does not affect the emulator. */
export const ignored = z.unknown().optional()

/** Parameters of every list. */
export const page = {
  limit: whole.min(1).max(100).default(10),
  starting_after: z.string().optional(),
  ending_before: z.string().optional(),
  expand,
}

/** Parses a call's parameters. @throws StripeError 400 that names the first missing, unknown or invalid one */
export function readInput<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const read = schema.safeParse(given)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const path = issue?.path.map(String) ?? []
  if (issue?.code === 'unrecognized_keys') {
    const param = paramOf([...path, issue.keys[0] ?? ''])
    throw invalid(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param })
  }
  const param = paramOf(path)
  const isMissing =
    issue?.code === 'invalid_type' && issue.input === undefined && issue.message.includes('undefined')
  if (isMissing) throw invalid(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  throw invalid(`Invalid ${param}: ${issue?.message ?? 'not understood'}`, { param })
}

function paramOf([head = '', ...rest]: string[]): string {
  return head + rest.map((segment) => `[${segment}]`).join('')
}

/** Metadata after a change: an empty value removes a name. */
export function mergedMetadata(
  present: Record<string, string>,
  change: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...present, ...change }).filter(([, value]) => value !== ''))
}
