import { z } from 'zod'

/** Made-up ids that the examples of the API reference share, so that they fit together. */
export const EXAMPLE_ID = {
  organization: 'b7c1a3de-2f64-4d0b-9a58-6e1f0c9d2a41',
  user: '3d9f5b72-8c1e-4a6d-b0f4-52e7a1c8d936',
  apiKey: '9e2d4c61-7b3a-4f58-8d1c-a04b6f3e5c27',
  source: '5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60',
  sourceItem: 'c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59',
  invitation: '8b3e5d17-0c9a-4f62-b7d4-e1a6c2f80935',
  entity: '4c1f7a90-3b6e-4d52-9e08-5a7d1c2f6b34',
  syncRun: '71b3f6d8-e2a4-49c5-8f07-b5d1c3a9e642',
  request: 'e8d5a2f1-6c3b-4b97-a1d4-0f9c7e5b2d83',
  webhook: 'd2b9e6f3-0a7c-4e18-b5d4-8c1f3a6e9072',
  delivery: '6f1d8a3b-c5e2-4097-8b6a-e4d9c7f20315',
  thread: '0d7c4b95-3e1a-4f26-9c80-b2f5e8a1d637',
  turn: 'f3a08d61-92c7-4be5-8a14-6d0b9c2e7f58',
  evaluationQuestion: '7c5e2b14-d806-4a9f-b3e1-90f4d8a6c25b',
  auditEvent: '2a6f9c4e-b8d1-4e35-97a2-c3f0d5e8b174',
} as const

/** A UUID in a request, lowercased: the database writes them so, and ids are compared as text too. */
export const givenId = z.uuid().toLowerCase()

export const idOf = (description: string, example: string) => givenId.meta({ description, example })

export const shownId = (description: string, example: string) => z.uuid().meta({ description, example })

export const moment = (description: string, example = '2026-03-02T09:30:00.000Z') =>
  z.iso.datetime().meta({ description, example })

export const momentOrNull = (description: string, example: string | null = '2026-03-02T09:30:00.000Z') =>
  z.iso.datetime().nullable().meta({ description, example })

export const text = (description: string, example: string) => z.string().meta({ description, example })

export const textOrNull = (description: string, example: string | null = null) =>
  z.string().nullable().meta({ description, example })

export const count = (description: string, example: number) => z.int().min(0).meta({ description, example })

/** Several times the length of any cursor that the service returns. */
const CURSOR_CHARACTERS_MAX = 1_000

/** The position where a page of a list starts. */
export const pageCursor = z
  .string()
  .max(CURSOR_CHARACTERS_MAX)
  .optional()
  .describe('`nextCursor` of the previous page, with the same filters; omit it for the first page.')

export const nextCursor = textOrNull('The cursor of the next page; null on the last page.')

const nameOf = (charactersMax: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(charactersMax)
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')

/** A short name given by a person. */
export const label = nameOf(200)

/** A file name, with or without folders. */
export const fileName = nameOf(500)

/** No address is longer (RFC 5321, 4.5.3.1). */
const EMAIL_CHARACTERS_MAX = 320

/** An address of a person, in policies, groups and requests alike; local ones like `ada@localhost` too. */
export const personsEmail = z
  .string()
  .max(EMAIL_CHARACTERS_MAX)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')

const ON_BEHALF_OF = 'Limits the response to what this person may read.'

export const onBehalfOf = z
  .strictObject({
    email: personsEmail.meta({ description: "The person's email address.", example: 'ada@example.com' }),
  })
  .optional()
  .describe(`${ON_BEHALF_OF} An unknown person can read only public items.`)

export const onBehalfOfQuery = personsEmail.optional().describe(`A person's email address. ${ON_BEHALF_OF}`)

export function distinct<T extends z.ZodType>(entry: T) {
  return z
    .array(entry)
    .min(1)
    .max(100)
    .refine((list) => new Set(list).size === list.length, 'must not contain duplicates')
}

/** An object with at most `keysMax` keys, counted before any of them is validated. */
export function boundedRecord<V extends z.ZodType>(key: z.ZodString, value: V, keysMax: number) {
  return z.preprocess(
    (given, { issues }) => {
      if (typeof given === 'object' && given !== null && Object.keys(given).length > keysMax)
        issues.push({ code: 'custom', input: given, message: `must have at most ${keysMax} keys` })
      return given
    },
    z.record(key, value),
  )
}

/** Years 1 to 9999 in UTC: the range that both ISO 8601 and PostgreSQL can write. */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** PostgreSQL parses a time of at most 128 characters, with an offset under 16 hours. */
const TIMESTAMP_CHARACTERS_MAX = 64
const OFFSET_TOO_FAR = /[+-](?:1[6-9]|2\d):\d\d$/

/** ISO 8601 with `Z` or an offset, of any year. Only for times that are compared and never stored. */
export const AnyTime = z.iso
  .datetime({ offset: true, abort: true })
  .max(TIMESTAMP_CHARACTERS_MAX)
  .refine((time) => !OFFSET_TOO_FAR.test(time), 'must have an offset of at most 15:59')

/** ISO 8601 with `Z` or an offset. */
export const Timestamp = AnyTime.refine(
  (time) => Date.parse(time) >= EARLIEST_MS && Date.parse(time) <= LATEST_MS,
  'must be in the years 1 to 9999',
)
