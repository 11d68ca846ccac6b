import { hash } from 'node:crypto'
import type { StoredEntityType } from '../../database/schema.ts'

export interface FoundName {
  name: string
  /** Equal for all spellings of the name; null if the name does not identify the entity. */
  alias: string | null
}

/** What an entity is to an item, closest first. */
export const NAMING_ROLES = ['source', 'author', 'channel', 'recipient', 'mention'] as const
export type NamingRole = (typeof NAMING_ROLES)[number]

export interface FoundEntity {
  type: StoredEntityType
  key: string
  alias: string | null
  rank: number
  role: NamingRole
  names: FoundName[]
}

/** How well a kind of name identifies an entity. Of two atoms with one alias, the lesser belongs to the greater. */
export const RANK = { topic: 0, handle: 1, name: 2, address: 4 } as const

/** Separator of a folder's path. */
export const PATH_MARK = ' / '

const NAME_CHARACTERS_MAX = 120
const NOT_WORD = /[^\p{L}\p{N}]+/gu
const MARKS = /\p{M}+/gu

/** Lower case, no accents, words separated by single spaces: equal for texts that a reader considers the same. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase().replace(NOT_WORD, ' ').trim()
}

/** The form in which names are compared: folded, without the last word's plural s (`SLAs`). */
export function aliasOf(name: string): string {
  const folded = fold(name.replace(/(\p{Lu}{2})s$/u, '$1'))
  return /[^su]s$/.test(folded) && !folded.endsWith('is') && folded.length > 4 ? folded.slice(0, -1) : folded
}

/** The first word of a full name's alias, in the form of a topic's alias. */
export function givenNameOf(alias: string): string {
  return aliasOf(alias.slice(0, alias.indexOf(' ')))
}

/** The alias of a handle, which is unique only within its provider. */
export function handleAlias(provider: string, handle: string): string {
  return `@${provider}/${fold(handle)}`
}

/** The handle in such an alias; null: another name. */
export function handleIn(alias: string): string | null {
  return alias.startsWith('@') ? alias.slice(alias.indexOf('/') + 1) : null
}

/** A name as stored: on one line, at most 120 characters. */
export function tidy(name: string): string {
  return name.replace(/\s+/g, ' ').trim().slice(0, NAME_CHARACTERS_MAX).toWellFormed()
}

/** A version 4 UUID derived from organization and key, so that a recurring entity keeps its id. */
export function entityId(organizationId: string, key: string): string {
  const hex = hash('sha256', `${organizationId}\0${key}`, 'hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
