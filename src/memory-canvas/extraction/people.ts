import {
  aliasOf,
  fold,
  type FoundEntity,
  type FoundName,
  handleAlias,
  RANK,
  type NamingRole,
  tidy,
} from './identity.ts'
import {
  GENERIC,
  GIVEN_NAMES,
  JOBS,
  LESS_COMMON_GIVEN_NAMES,
  NAME_PARTICLES,
  NO_PERSON,
  PERSON_NOUNS,
  PLACEHOLDER_DOMAINS,
  PLACEHOLDER_PEOPLE,
  PUBLIC_MAIL,
  SECOND_LEVELS,
} from './word-lists.ts'

const ADDRESS = /^[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9][a-z0-9.-]{1,251}$/
/** `Ada Lovelace <ada@corp.com>` and `"Lovelace, Ada" <ada@corp.com>`. */
const NAME_AND_ADDRESS = /^"?([^"<>]{0,120}?)"?\s*<([^<>\s]{3,320})>$/
const WORD = /^\p{L}[\p{L}\p{M}.'’-]*$/u

/** A person in an item's fields: by name, by address, or by both. */
export interface GivenPerson {
  name: string | null
  address: string | null
}

/** Parses a text with a name, an address or both. */
export function personOf(text: string): GivenPerson {
  const trimmed = text.trim().slice(0, 500)
  const both = NAME_AND_ADDRESS.exec(trimmed)
  if (both) return { name: both[1]?.trim() || null, address: both[2] ?? null }
  return trimmed.includes('@') && !trimmed.startsWith('@') && !/\s/.test(trimmed)
    ? { name: null, address: trimmed }
    : { name: trimmed === '' ? null : trimmed, address: null }
}

/** A person and their organization, as far as known. A shared mailbox is not a person. */
export function entitiesOfPerson(given: GivenPerson, role: NamingRole, provider: string): FoundEntity[] {
  const address = given.address?.toLowerCase() ?? ''
  const name = given.name === null ? null : personName(given.name, provider)
  if (!ADDRESS.test(address)) return name === null ? [] : [byName(name, role)]
  const [mailbox = '', host = ''] = address.split('@')
  const organization = organizationOf(host)
  if (role === 'mention' && isPlaceholderHost(host)) return []
  const found = organization === null ? [] : [organization]
  const isNobody = mailbox.split(/[._+-]/).some((word) => NO_PERSON.has(word))
  // An address without a name in a text usually belongs to an office rather than a person.
  if (isNobody || (role === 'mention' && name === null && !looksLikePerson(mailbox))) return found
  const names: FoundName[] = [{ name: address, alias: null }, ...(name === null ? [] : [name])]
  found.push({ type: 'person', key: `address:${address}`, alias: null, rank: RANK.address, role, names })
  return found
}

/** Whether a mailbox looks like a person's: `ada`, `ada.lovelace`, `a_lovelace`. */
function looksLikePerson(mailbox: string): boolean {
  const words = mailbox.split(/[._]/)
  return (
    GIVEN_NAMES.has(words[0] ?? '') || (words.length === 2 && words.every((word) => /^[a-z]+$/.test(word)))
  )
}

/** A handle, such as `@ada`, which is unique only within its provider. */
export function byHandle(handle: string, role: NamingRole, provider: string): FoundEntity {
  const alias = handleAlias(provider, handle)
  const names = [{ name: `@${handle}`, alias }]
  return { type: 'person', key: `handle:${alias}`, alias, rank: RANK.handle, role, names }
}

function byName(name: FoundName, role: NamingRole): FoundEntity {
  const isHandle = name.alias?.startsWith('@') ?? false
  const key = isHandle ? `handle:${name.alias}` : `name:${name.alias}`
  return {
    type: 'person',
    key,
    alias: name.alias,
    rank: isHandle ? RANK.handle : RANK.name,
    role,
    names: [name],
  }
}

export function byFullName(name: string): FoundEntity {
  return byName({ name: tidy(name), alias: aliasOf(inOrder(name)) }, 'mention')
}

/** A person's name with its alias; null: not a name. A single word that a chat shows as a name is a handle. */
function personName(given: string, provider: string): FoundName | null {
  const name = tidy(given.replace(/\s*\([^()]*\)\s*$/, ''))
  const ordered = inOrder(name)
  const words = fold(ordered).split(' ')
  if (words[0] === '' || words.length > 5 || (name.includes('@') && !name.startsWith('@'))) return null
  if (words.some((word) => NO_PERSON.has(word))) return null
  if (words.length === 1 || name.startsWith('@')) {
    const handle = name.replace(/^@/, '')
    return { name: `@${handle}`, alias: handleAlias(provider, handle) }
  }
  return { name, alias: aliasOf(ordered) }
}

/** `Lovelace, Ada` as `Ada Lovelace`. */
function inOrder(name: string): string {
  const parts = name.split(',')
  const [last = '', first = ''] = parts.map((part) => part.trim())
  return parts.length === 2 && isWords(last) && isWords(first) ? `${first} ${last}` : name
}

function isWords(text: string): boolean {
  const words = text.split(' ')
  return words.length <= 2 && words.every((word) => WORD.test(word))
}

/** Number of leading words that form a person's full name beginning with a given name; 0: none. */
export function fullNameLength(words: readonly string[]): number {
  const given = fold(words[0] ?? '')
  if (!GIVEN_NAMES.has(given) && !LESS_COMMON_GIVEN_NAMES.has(given)) return 0
  let last = words[1]?.length === 1 ? 2 : 1
  while (last < 4 && words[last + 1] !== undefined && isParticle(words[last] ?? '')) last++
  // A second given name: `David Mark Clements`.
  if (GIVEN_NAMES.has(fold(words[last] ?? '')) && isFamilyName(words[last + 1])) last++
  const isName = isFamilyName(words[last]) && words.slice(0, last + 1).every((word) => WORD.test(word))
  return isName ? last + 1 : 0
}

function isFamilyName(word = ''): boolean {
  return /^\p{Lu}/u.test(word) && WORD.test(word) && !GENERIC.has(fold(word)) && !JOBS.has(fold(word))
}

/** Whether a word says that the next two are a name, whatever the given name: `co-founder Sid Sijbrandij`. */
export function introducesPerson(word: string | undefined, name: readonly string[]): boolean {
  const last =
    fold(word ?? '')
      .split(' ')
      .at(-1) ?? ''
  return (
    PERSON_NOUNS.has(last) &&
    name.length === 2 &&
    name.every((part) => /^\p{Lu}\p{Ll}/u.test(part) && isFamilyName(part))
  )
}

/** Whether a word can stand between a given name and a family name: `van`, `Della`. */
export function isParticle(word: string): boolean {
  return NAME_PARTICLES.has(fold(word))
}

/** Whether only examples use this name. */
export function isPlaceholder(name: string): boolean {
  return PLACEHOLDER_PEOPLE.has(fold(name))
}

/** Whether only examples use this host: `example.com`, `company.com`, `your-company.io`. */
function isPlaceholderHost(host: string): boolean {
  return PLACEHOLDER_DOMAINS.has(domainOf(host)[0]?.replace(/^(your|my|some)-?/, '') ?? '')
}

/** The labels of the registered domain, such as `corp` and `com` of `mail.corp.com`. */
function domainOf(host: string): string[] {
  const labels = host.split('.')
  const isThree = labels.length > 2 && labels.at(-1)?.length === 2 && SECOND_LEVELS.has(labels.at(-2) ?? '')
  return labels.slice(isThree ? -3 : -2)
}

/** The organization that uses a mail host; null: unknown. */
export function organizationOf(host: string): FoundEntity | null {
  const kept = domainOf(host)
  if (kept.length < 2 || PUBLIC_MAIL.has(host)) return null
  const domain = kept.join('.')
  const [label = ''] = kept
  if (PUBLIC_MAIL.has(domain) || label === '') return null
  const names = [{ name: domain, alias: aliasOf(label) }]
  return {
    type: 'organization',
    key: `domain:${domain}`,
    alias: null,
    rank: RANK.address,
    role: 'mention',
    names,
  }
}
