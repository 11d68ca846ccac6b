import type { SourceKind } from '../../kernel/source-kinds.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import type { Pausable } from '../../kernel/cooperative.ts'
import { findingBlocks } from '../../text/blocks.ts'
import { channelsOf, namedChannel } from './channels.ts'
import { fold, type FoundEntity, type FoundName, NAMING_ROLES } from './identity.ts'
import {
  byFullName,
  byHandle,
  entitiesOfPerson,
  fullNameLength,
  introducesPerson,
  isParticle,
  isPlaceholder,
  personOf,
} from './people.ts'
import { settleNames } from './same-in-item.ts'
import { companyOf, createTopicCollector, type TopicCollector } from './topics.ts'
import { GERMAN, GIVEN_NAMES } from './word-lists.ts'
import { findingWords, isCapital, isOdd, type Word } from './words.ts'

export interface ItemToRead {
  provider: string
  sourceKind: SourceKind
  title: string
  body: string
  authorName: string | null
  metadata: Record<string, unknown>
}

/** The version of the extraction. Raise it when the extracted names change: all items are read again. */
export const RULES = 'rules 4'
/** Longer texts are truncated here: a document's beginning shows its subject. */
export const CHARACTERS_READ = 60_000
const PARAGRAPH_CHARACTERS_MAX = 8_000
const PEOPLE_MAX = 30
/** An item counts for this many entities, the closest first, so that not everything connects to everything. */
const ENTITIES_MAX = 32
const NAMES_MAX = 4
const TOPICS_MAX = 10
const ADDRESS = /^[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,200}\.\p{L}{2,20}$/u
const HANDLE = /^[\p{L}\p{N}][\p{L}\p{N}._-]{1,38}$/u
const CHANNEL = /^\p{L}[\p{L}\p{N}_-]{1,78}$/u

/** The entities of an item, from its fields and then from its text. Linear time. */
export function* extractingEntities(item: ItemToRead, terms: TermWeights): Pausable<FoundEntity[]> {
  const found: FoundEntity[] = [...peopleOf(item), ...channelsOf(item.metadata, item.provider)]
  const topics = createTopicCollector(terms)
  const isMessage = item.sourceKind === 'message'
  const body = item.body.slice(0, CHARACTERS_READ)
  const isGerman = looksGerman(yield* findingWords(body.slice(0, PARAGRAPH_CHARACTERS_MAX)))
  const title = yield* findingWords(item.title.slice(0, PARAGRAPH_CHARACTERS_MAX))
  if (!isMessage) topics.addHeading(title)
  const isShownAgain = isMessage && item.title.startsWith('#')
  const inTitle = { ...topics, addRun: topics.addTitleRun }
  if (!isShownAgain) yield* readingWords(title, item, inTitle, found, isGerman)
  for (const block of yield* findingBlocks(body)) {
    if (block.kind === 'whole' || block.kind === 'indented') continue
    const text = body.slice(block.start, Math.min(block.end, block.start + PARAGRAPH_CHARACTERS_MAX))
    for (const line of isMessage ? text.split('\n') : [text]) {
      const words = yield* findingWords(line)
      if (block.kind === 'heading') topics.addHeading(words)
      else yield* readingWords(words, item, topics, found, isGerman)
    }
  }
  const settled = settleNames(merged(found), topics.topics())
  return closest(merged([...settled.found, ...settled.topics.slice(0, TOPICS_MAX)]))
}

function peopleOf({ authorName, metadata, provider, sourceKind }: ItemToRead): FoundEntity[] {
  const given = authorName === null ? { name: null, address: null } : personOf(authorName)
  const email = metadata['senderEmail']
  const author = { ...given, address: typeof email === 'string' ? email : given.address }
  const first = authorName ?? ''
  // Other writers of a conversation; the first is the author.
  const others = sourceKind === 'message' ? textsOf(metadata['senders']).filter((name) => name !== first) : []
  return [
    ...entitiesOfPerson(author, 'author', provider),
    ...others.flatMap((name) => entitiesOfPerson(personOf(name), 'author', provider)),
    ...['recipients', 'namedRecipients', 'to', 'cc']
      .flatMap((field) => textsOf(metadata[field]))
      .flatMap((name) => entitiesOfPerson(personOf(name), 'recipient', provider)),
  ]
}

function textsOf(field: unknown): string[] {
  return (Array.isArray(field) ? field : [field])
    .filter((one): one is string => typeof one === 'string' && one !== '')
    .slice(0, PEOPLE_MAX)
}

function* readingWords(
  words: readonly Word[],
  item: ItemToRead,
  topics: TopicCollector,
  found: FoundEntity[],
  isGerman: boolean,
): Pausable<void> {
  for (let at = 0; at < words.length;) {
    if (at % 32 === 0) yield
    const word = words[at]
    if (!word) break
    const named = namedBy(word, words, at, item)
    if (named) {
      found.push(...named.entities)
      at = named.next
      continue
    }
    if (!isCapital(word)) {
      topics.addPlain(word)
      at++
      continue
    }
    const end = runEnd(words, at)
    const run = words.slice(at, end)
    const texts = run.map(({ text }) => text)
    if (words[at - 1]?.after === '' && introducesPerson(words[at - 1]?.text, texts))
      found.push(byFullName(texts.join(' ')))
    else if (!isGerman || run.some(isOdd) || fullNameLength(texts) > 0) readRun(run, topics, found)
    at = end
  }
}

/** The address, handle or channel at a word, if any. */
function namedBy(
  word: Word,
  words: readonly Word[],
  at: number,
  { provider, sourceKind }: ItemToRead,
): { entities: FoundEntity[]; next: number } | null {
  if (word.text.includes('@')) {
    if (!ADDRESS.test(word.text)) return null
    const name = /[<(]$/.test(word.before) ? nameBefore(words, at) : null
    return { entities: entitiesOfPerson({ name, address: word.text }, 'mention', provider), next: at + 1 }
  }
  if (sourceKind !== 'message') return null
  if (word.before.endsWith('@') && HANDLE.test(word.text)) {
    const pair = words.slice(at, at + 2)
    const [, second] = pair
    const isName = second !== undefined && word.after === '' && second.before === '' && pair.every(isCapital)
    return isName
      ? { entities: [byFullName(pair.map(({ text }) => text).join(' '))], next: at + 2 }
      : { entities: [byHandle(word.text, 'mention', provider)], next: at + 1 }
  }
  if (word.before.endsWith('#') && CHANNEL.test(word.text))
    return { entities: [namedChannel(word.text, provider)], next: at + 1 }
  return null
}

/** The name before an address in brackets: `Ada Lovelace <` or `Lovelace, Ada <`. */
function nameBefore(words: readonly Word[], at: number): string | null {
  const kept: string[] = []
  for (let back = at - 1; back >= 0 && kept.length < 3; back--) {
    const word = words[back]
    if (!word || !isCapital(word)) break
    const isLast = kept.length === 0
    const isComma = word.after === ',' && kept.length === 1
    if (!isLast && word.after !== '' && !isComma) break
    if (isLast && /[^"”]/.test(word.after)) break
    kept.unshift(isComma ? `${word.text},` : word.text)
    if (word.before !== '' || isComma) break
  }
  return kept.length >= 2 ? kept.join(' ') : null
}

function runEnd(words: readonly Word[], from: number): number {
  let end = from + 1
  for (; end < words.length; end++) {
    const last = words[end - 1]
    const next = words[end]
    if (!last || !next || next.before !== '' || next.text.includes('@')) break
    const isInitial = last.text.length === 1 && last.after === '.'
    // A word after a separator, such as the bar between a row's cells, starts a new run.
    if (next.isFirst && !isInitial) break
    if (!isCapital(next)) {
      const family = familyAfter(words, end)
      if (family === null && !isNumberOf(last, next)) break
      end = family ?? end
    }
    if (last.after !== '' && !isInitial) break
  }
  return end
}

/** Position of the family name whose particles begin here: `van den Berg` after a given name. */
function familyAfter(words: readonly Word[], from: number): number | null {
  if (!GIVEN_NAMES.has(fold(words[from - 1]?.text ?? '')) || words[from - 1]?.after !== '') return null
  for (let at = from; at < from + 4; at++) {
    const word = words[at]
    if (!word || word.before !== '') return null
    if (isCapital(word)) return at
    if (!isParticle(word.text) || word.after !== '') return null
  }
  return null
}

/** Whether a number belongs to the abbreviation before it, as in `ISO 27001`; years do not. */
function isNumberOf({ text, after }: Word, next: Word): boolean {
  return (
    after === '' &&
    /^\p{Lu}{2,6}$/u.test(text) &&
    /^\d{1,5}$/.test(next.text) &&
    !/^(19|20)\d\d$/.test(next.text)
  )
}

/** Whether every noun of the text is capitalized, so that capitals mean nothing. */
function looksGerman(words: readonly Word[]): boolean {
  const count = words.filter(({ text }) => GERMAN.has(text.toLowerCase())).length
  return count >= 2 && count * 10 >= words.length
}

function readRun(run: readonly Word[], topics: TopicCollector, found: FoundEntity[]): void {
  const company = companyOf(run)
  if (company) {
    found.push(company)
    return
  }
  for (let at = 0; at < run.length; at++) {
    const words = run.slice(at, at + fullNameLength(run.slice(at, at + 6).map(({ text }) => text)))
    if (words.length === 0) continue
    const name = words.map(({ text }) => text).join(' ')
    if (!isPlaceholder(name)) found.push(byFullName(name))
    topics.addRun(run.slice(0, at))
    topics.addRun(run.slice(at + words.length))
    return
  }
  if (!isPlaceholder(run.map(({ text }) => text).join(' '))) topics.addRun(run)
}

/** Each entity once, with its closest role and all its names. */
function merged(found: readonly FoundEntity[]): FoundEntity[] {
  const byKey = new Map<string, FoundEntity>()
  for (const entity of found) {
    const known = byKey.get(entity.key)
    if (!known) byKey.set(entity.key, { ...entity, names: distinct(entity.names) })
    else {
      if (NAMING_ROLES.indexOf(entity.role) < NAMING_ROLES.indexOf(known.role)) known.role = entity.role
      known.names = distinct([...known.names, ...entity.names])
    }
  }
  return withinItem([...byKey.values()])
}

function closest(entities: readonly FoundEntity[]): FoundEntity[] {
  return entities
    .toSorted((left, right) => NAMING_ROLES.indexOf(left.role) - NAMING_ROLES.indexOf(right.role))
    .slice(0, ENTITIES_MAX)
}

/** Merges entities that the item itself shows to be the same, such as a name in its text and its author's. */
function withinItem(entities: readonly FoundEntity[]): FoundEntity[] {
  const byAlias = new Map<string, FoundEntity>()
  for (const entity of entities.toSorted((left, right) => right.rank - left.rank)) {
    for (const { alias } of entity.names)
      if (alias !== null && !byAlias.has(alias)) byAlias.set(alias, entity)
  }
  return entities.filter((entity) => {
    const same = entity.alias === null ? undefined : byAlias.get(entity.alias)
    if (!same || same === entity || same.rank <= entity.rank) return true
    if (NAMING_ROLES.indexOf(entity.role) < NAMING_ROLES.indexOf(same.role)) same.role = entity.role
    same.names = distinct([...same.names, ...entity.names])
    return false
  })
}

function distinct(names: readonly FoundName[]): FoundName[] {
  return [...new Map(names.map((name) => [name.name, name])).values()].slice(0, NAMES_MAX)
}
