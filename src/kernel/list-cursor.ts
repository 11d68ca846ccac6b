import { hash } from 'node:crypto'
import { z } from 'zod'
import { validationError } from './errors.ts'
import { parseJson } from './parse-json.ts'
import { Timestamp } from './schemas.ts'

export interface ListPlace {
  /** The sort time of the last entry, ISO 8601 in UTC with microseconds. */
  at: string
  id: string
}

/** Identifies the list that a cursor belongs to: the organization and the filters. */
export type ListName = readonly (string | undefined)[]

const VERSION = 1
/** The format of {@link ListPlace.at}, which the database parses. */
const ExactTime = Timestamp.regex(/\.\d{6}Z$/)

/** An opaque cursor: base64url of JSON with the version, the position and a digest of the list's name. */
export function encodeCursor(list: ListName, { at, id }: ListPlace): string {
  return Buffer.from(JSON.stringify([VERSION, at, id, digestOf(list)])).toString('base64url')
}

/** The position in a cursor of this list. @throws AppError `validation_failed` for anything else */
export function decodeCursor(list: ListName, cursor: string): ListPlace {
  const place = z
    .tuple([z.literal(VERSION), ExactTime, z.uuid(), z.literal(digestOf(list))])
    .safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (place.success) return { at: place.data[1], id: place.data[2] }
  throw validationError([
    {
      path: 'cursor',
      message:
        'cursor must be the unchanged nextCursor of a list with these filters; omit it to start at the first page',
    },
  ])
}

function digestOf(list: ListName): string {
  return hash('sha256', JSON.stringify(list.map((part) => part ?? null)), 'hex').slice(0, 16)
}
