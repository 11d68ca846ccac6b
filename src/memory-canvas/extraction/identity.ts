import { hash } from 'node:crypto'
import type { StoredEntityType } from '../../database/schema.ts'

/** A name that an item uses for an entity. */
export interface FoundName {
  name: string
  /** The same however it is written; null where it says nothing about who it is. */
  alias: string | null
}

/** What an entity is to an item, the closest first. */
export const ROLES = ['source', 'author', 'channel', 'recipient', 'mention'] as const
export type Role = (typeof ROLES)[number]

/** An entity that an item names. */
export interface FoundEntity {
  type: StoredEntityType
  key: string
  alias: string | null
  rank: number
  role: Role
  names: FoundName[]
}

/**
 * How well what names an entity tells it from others. Of two that go by the same alias, the lesser belongs to the greater: a
 * capitalised phrase to the person of that name, a name to the address that it was seen with.
 */
export const RANK = { topic: 0, handle: 1, name: 2, address: 4 } as const

/** Between the parts of where a folder is. */
export const PATH_MARK = ' / '

const NAME_CHARACTERS_MAX = 120
const NOT_WORD = /[^\p{L}\p{N}]+/gu
const MARKS = /\p{M}+/gu

/** A text in lower case without accents, its words parted by single spaces: equal for what a reader takes for the same. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase().replace(NOT_WORD, ' ').trim()
}

/** What a name is compared by: folded, and its last word without the s of a plural, of abbreviations (`SLAs`) too. */
export function aliasOf(name: string): string {
  const folded = fold(name.replace(/(\p{Lu}{2})s$/u, '$1'))
  return /[^su]s$/.test(folded) && !folded.endsWith('is') && folded.length > 4 ? folded.slice(0, -1) : folded
}

/** The first word of the alias of a full name, as a topic of that word goes by. */
export function givenNameOf(alias: string): string {
  return aliasOf(alias.slice(0, alias.indexOf(' ')))
}

/** A name as it is kept: on one line, at most 120 characters. */
export function tidy(name: string): string {
  return name.replace(/\s+/g, ' ').trim().slice(0, NAME_CHARACTERS_MAX).toWellFormed()
}

/**
 * The id of an entity: a version 4 UUID that depends on the organization and the key alone, so that an entity that comes again is
 * the same and two processes need not agree on one.
 */
export function entityId(organizationId: string, key: string): string {
  const hex = hash('sha256', `${organizationId}\0${key}`, 'hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
