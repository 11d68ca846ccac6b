import { z } from 'zod'
import { invalid } from './stripe-error.ts'

// What a form says is text: numbers, booleans and empty values are read from it.

/** A whole number. */
export const whole = z.coerce.number().int()
/** `true` or `false`. */
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
/** Text; empty unsets. */
export const text = z.string().max(5_000)
/** Names with text; an empty value unsets a name, an empty text all of them. */
export const metadata = z.union([
  z
    .record(z.string().max(40), z.string().max(500))
    .refine((names) => Object.keys(names).length <= 50, 'at most 50 metadata keys'),
  z.literal('').transform(() => ({})),
])
/** Paths of what is answered whole instead of by id. */
export const expand = z.array(z.string()).optional()
/** What is taken and left alone, since it does not change what the emulator does. */
export const ignored = z.unknown().optional()

/** Fields that every list takes. */
export const page = {
  limit: whole.min(1).max(100).default(10),
  starting_after: z.string().optional(),
  ending_before: z.string().optional(),
  expand,
}

/**
 * Reads the parameters of a call.
 * @throws StripeError 400 that names the first one that is missing, unknown or of the wrong kind
 */
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

/** Metadata after a change: an empty value takes a name out. */
export function mergedMetadata(
  present: Record<string, string>,
  change: Record<string, string>,
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...present, ...change }).filter(([, value]) => value !== ''))
}
