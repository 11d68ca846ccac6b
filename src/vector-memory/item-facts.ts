import { z } from 'zod'
import type { ProviderId } from '../kernel/providers.ts'
import type { Readable } from '../kernel/reader.ts'
import type { SourceKind } from '../database/schema.ts'

/** What a search can ask of items; null, or not there: nothing. All of it has to hold. */
export interface ItemScope {
  providers: readonly ProviderId[] | null
  /** Of one of these policies. */
  readable: Readable
  sourceKinds?: readonly SourceKind[] | undefined
  /** As it is stored. */
  authorName?: string | undefined
  sourceId?: string | undefined
  /** Milliseconds; changed then or later, and before. */
  updatedFrom?: number | undefined
  updatedBefore?: number | undefined
  /** As it is stored. */
  metadata?: Readonly<Record<string, unknown>> | undefined
  /** One of these items. */
  itemIds?: readonly string[] | undefined
  /** Of none of these sources. */
  exceptSourceIds?: readonly string[] | undefined
}

/** An item as the database hands it out for a snapshot. */
export const ItemRow = z.object({
  id: z.string(),
  provider: z.string(),
  source_kind: z.string(),
  source_id: z.string(),
  author_name: z.string().nullable(),
  /** Milliseconds, with fractions. */
  updated_at: z.number(),
  /** Its access policy. */
  policy_id: z.number().nullable(),
  /** null: too long to be held. */
  metadata: z.record(z.string(), z.unknown()).nullable(),
})
export type ItemRow = z.output<typeof ItemRow>

/** Items in the order of their numbers, as a file has them; null: nobody has the number. */
export const SavedItems = z.array(ItemRow.extend({ metadata: z.array(z.number()).nullable() }).nullable())
export type SavedItems = z.output<typeof SavedItems>

/** Which items are in a scope. */
interface Selection {
  /** For each item 1 where it is; null: all are. */
  allowed: Uint8Array | null
  /** How many rows they have. */
  rows: number
}

/** Scopes that are remembered until an item changes: callers come back with theirs. */
const SCOPES_MAX = 8
/** Two hashes for each pair of key and value; a plain list of so few takes less than typed numbers do. */
type Pairs = readonly number[]
const NO_PAIRS: Pairs = []
/** An item with more of them counts as one that may have any. */
const PAIRS_MAX = 64

/** Counts what snapshots take in, of whichever organization. */
let versions = 0

/**
 * What is known of a snapshot's items, by their number. A scope is decided by it as the database would, but for metadata, which is
 * held as hashes: of these the database has the last word.
 */
export class ItemFacts {
  readonly #numbers = new Map<string, number>()
  readonly #ids: string[] = []
  readonly #versions: number[] = []
  readonly #providers: number[] = []
  readonly #kinds: number[] = []
  readonly #sources: number[] = []
  readonly #authors: number[] = []
  readonly #updated: number[] = []
  /** 0: nobody may read it. */
  readonly #policies: number[] = []
  /** null: may have any. */
  readonly #metadata: (Pairs | null)[] = []
  /** How many rows each has. */
  readonly #rows: number[] = []
  readonly #free: number[] = []
  readonly #words = new Words()
  /** Least recently used first. */
  readonly #scopes = new Map<string, Selection>()

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  idOf(item: number): string {
    return this.#ids[item] ?? ''
  }

  /** Another number for each time that an item was taken in, by any snapshot of the process. */
  versionOf(item: number): number {
    return this.#versions[item] ?? 0
  }

  /** Takes an item in, or what has changed of it. @returns its number */
  put(row: ItemRow): number {
    const item = this.#numbers.get(row.id) ?? this.#free.pop() ?? this.#ids.length
    this.#set(item, row, row.metadata === null ? null : hashPairs(row.metadata))
    return item
  }

  #set(item: number, row: Omit<ItemRow, 'metadata'>, metadata: Pairs | null): void {
    this.#numbers.set(row.id, item)
    this.#ids[item] = row.id
    this.#versions[item] = ++versions
    this.#providers[item] = this.#words.number(row.provider)
    this.#kinds[item] = this.#words.number(row.source_kind)
    this.#sources[item] = this.#words.number(row.source_id)
    this.#authors[item] = row.author_name === null ? -1 : this.#words.number(row.author_name)
    this.#updated[item] = row.updated_at
    this.#policies[item] = row.policy_id ?? 0
    this.#metadata[item] = metadata
    this.#rows[item] ??= 0
    this.#scopes.clear()
  }

  /** How many numbers were given to items. */
  get numbers(): number {
    return this.#ids.length
  }

  /** The items of these numbers, as {@link ItemFacts.restore} takes them in the same order. */
  saved(from: number, to: number): SavedItems {
    return this.#ids.slice(from, to).map((id, at) => this.#savedItem(id, from + at))
  }

  #savedItem(id: string, item: number): SavedItems[number] {
    if (id === '') return null
    const metadata = this.#metadata[item] ?? null
    return {
      id,
      provider: this.#words.word(this.#providers[item]) ?? '',
      source_kind: this.#words.word(this.#kinds[item]) ?? '',
      source_id: this.#words.word(this.#sources[item]) ?? '',
      author_name: this.#words.word(this.#authors[item]),
      updated_at: this.#updated[item] ?? 0,
      policy_id: this.#policies[item] ?? 0,
      metadata: metadata && metadata.map((hash) => hash >>> 0),
    }
  }

  /** Gives items the next numbers. Their rows are to be added. */
  restore(items: SavedItems): void {
    for (const row of items) {
      const item = this.#ids.length
      if (row !== null) this.#set(item, row, row.metadata && row.metadata.map((hash) => hash | 0))
      else {
        this.#ids[item] = ''
        this.#rows[item] = 0
        this.#free.push(item)
      }
    }
  }

  addRows(item: number, count: number): void {
    this.#rows[item] = (this.#rows[item] ?? 0) + count
    this.#scopes.clear()
  }

  /** Forgets an item, whose rows are gone. */
  remove(item: number): void {
    this.#numbers.delete(this.idOf(item))
    this.#ids[item] = ''
    this.#rows[item] = 0
    this.#free.push(item)
    this.#scopes.clear()
  }

  /** For each item 1 where it is in scope; null: all are. */
  allowed(scope: ItemScope): Uint8Array | null {
    return this.#select(scope).allowed
  }

  /** How many rows the items in scope have. */
  countRows(scope: ItemScope): number {
    return this.#select(scope).rows
  }

  #select(scope: ItemScope): Selection {
    if (scope.itemIds) return this.#look(scope)
    const key = JSON.stringify(scope)
    const selection = this.#scopes.get(key) ?? this.#look(scope)
    this.#scopes.delete(key)
    this.#scopes.set(key, selection)
    const [oldest] = this.#scopes.keys()
    if (this.#scopes.size > SCOPES_MAX && oldest !== undefined) this.#scopes.delete(oldest)
    return selection
  }

  #look(scope: ItemScope): Selection {
    const { readable } = scope
    const tests = this.#testsOf(scope)
    const isAll = readable.isEverything && tests.length === 0
    const allowed = isAll ? null : new Uint8Array(new SharedArrayBuffer(this.#ids.length))
    let rows = 0
    for (let item = 0; item < this.#ids.length; item++) {
      // Each person's scope is looked at anew, so this has to be quick.
      if (!readable.has(this.#policies[item] ?? 0)) continue
      if (tests.length > 0 && !tests.every((holds) => holds(item))) continue
      rows += this.#rows[item] ?? 0
      if (allowed) allowed[item] = 1
    }
    return { allowed, rows }
  }

  #testsOf(scope: ItemScope): ((item: number) => boolean)[] {
    const tests: ((item: number) => boolean)[] = []
    const { authorName, sourceId, updatedFrom, updatedBefore, metadata, itemIds, exceptSourceIds } = scope
    const oneOf = (numbers: readonly number[], words: readonly string[]): void => {
      const wanted = new Set(words.map((word) => this.#words.find(word)))
      tests.push((item) => wanted.has(numbers[item] ?? -1))
    }
    if (scope.providers !== null) oneOf(this.#providers, scope.providers)
    if (scope.sourceKinds) oneOf(this.#kinds, scope.sourceKinds)
    if (sourceId !== undefined) oneOf(this.#sources, [sourceId])
    if (authorName !== undefined) oneOf(this.#authors, [authorName])
    if (updatedFrom !== undefined) tests.push((item) => (this.#updated[item] ?? 0) >= updatedFrom)
    if (updatedBefore !== undefined) tests.push((item) => (this.#updated[item] ?? 0) < updatedBefore)
    if (metadata && Object.keys(metadata).length > 0) {
      const wanted = hashPairs(metadata) ?? NO_PAIRS
      tests.push((item) => hasAll(this.#metadata[item] ?? null, wanted))
    }
    if (itemIds) {
      const wanted = new Set(itemIds.map((id) => this.#numbers.get(id)))
      tests.push((item) => wanted.has(item))
    }
    if (exceptSourceIds && exceptSourceIds.length > 0) {
      const removed = new Set(exceptSourceIds.map((id) => this.#words.find(id)))
      tests.push((item) => !removed.has(this.#sources[item] ?? -1))
    }
    return tests
  }
}

/** Words by number, so that one word is held once. */
class Words {
  readonly #numbers = new Map<string, number>()
  readonly #words: string[] = []

  number(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    this.#numbers.set(word, this.#words.length)
    return this.#words.push(word) - 1
  }

  /** The word of a number; null where nothing has it. */
  word(number = -1): string | null {
    return this.#words[number] ?? null
  }

  /** -2: nothing has it. */
  find(word: string): number {
    return this.#numbers.get(word) ?? -2
  }
}

/** Of each pair of a key and a value that is neither list nor object; null: there are too many. */
function hashPairs(metadata: Readonly<Record<string, unknown>>): Pairs | null {
  const pairs = Object.entries(metadata)
  if (pairs.length === 0) return NO_PAIRS
  if (pairs.length > PAIRS_MAX) return null
  const hashes: number[] = []
  for (const [key, value] of pairs) {
    if (typeof value === 'object' && value !== null) continue
    const text = `${key}\0${JSON.stringify(value)}`
    hashes.push(hashText(text, 0x811c9dc5), hashText(text, 0x1b873593))
  }
  return hashes
}

/** FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/), from a seed; 32 bits with a sign. */
function hashText(text: string, seed: number): number {
  let hash = seed | 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

function hasAll(pairs: Pairs | null, wanted: Pairs): boolean {
  if (pairs === null) return true
  for (let at = 0; at < wanted.length; at += 2) {
    let found = false
    for (let of = 0; of < pairs.length && !found; of += 2)
      found = pairs[of] === wanted[at] && pairs[of + 1] === wanted[at + 1]
    if (!found) return false
  }
  return true
}
