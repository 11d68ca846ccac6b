import { hash } from 'node:crypto'
import { z } from 'zod'
import { validationError } from './errors.ts'
import { Timestamp } from './schemas.ts'

/** Where a page of the list ended. */
export interface ListPlace {
  /** The time by which its last entry is sorted, ISO 8601 in UTC to the microsecond. */
  at: string
  /** That entry's id. */
  id: string
}

/** The list that a cursor goes on with: another organization's, or one with other filters, is another list. */
export type ListName = readonly (string | undefined)[]

const VERSION = 1
/** The form of {@link ListPlace.at}, which the database reads. */
const ExactTime = Timestamp.regex(/\.\d{6}Z$/)

/** The cursor as text that is nobody's to read: base64url of JSON with its version, the place and the list's name. */
export function encodeCursor(list: ListName, { at, id }: ListPlace): string {
  return Buffer.from(JSON.stringify([VERSION, at, id, digestOf(list)])).toString('base64url')
}

/** The place that a cursor of this list names. @throws AppError `validation_failed` for anything else */
export function decodeCursor(list: ListName, cursor: string): ListPlace {
  const place = z
    .tuple([z.literal(VERSION), ExactTime, z.uuid(), z.literal(digestOf(list))])
    .safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (place.success) return { at: place.data[1], id: place.data[2] }
  throw validationError([
    {
      path: 'cursor',
      message:
        'cursor is not the nextCursor of a list with these filters; take it as it came, or begin without one',
    },
  ])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function digestOf(list: ListName): string {
  return hash('sha256', JSON.stringify(list.map((part) => part ?? null)), 'hex').slice(0, 16)
}
