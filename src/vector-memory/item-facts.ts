import { z } from 'zod'
import { hashText } from '../kernel/hash-text.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { Readable } from '../kernel/reader.ts'
import type { SourceKind } from '../database/schema.ts'

/** The filters of a search on items, which all have to match; null or missing: no filter. */
export interface ItemScope {
  providers: readonly ProviderId[] | null
  /** Access policies the reader may see. */
  readable: Readable
  sourceKinds?: readonly SourceKind[] | undefined
  /** Exactly as stored. */
  authorName?: string | undefined
  sourceId?: string | undefined
  /** Milliseconds; from is inclusive, before is exclusive. */
  updatedFrom?: number | undefined
  updatedBefore?: number | undefined
  /** Exactly as stored. */
  metadata?: Readonly<Record<string, unknown>> | undefined
  /** Only these items. */
  itemIds?: readonly string[] | undefined
  /** Without these sources. */
  exceptSourceIds?: readonly string[] | undefined
}

export const ItemRow = z.object({
  id: z.string(),
  provider: z.string(),
  source_kind: z.string(),
  source_id: z.string(),
  author_name: z.string().nullable(),
  /** Milliseconds, with fractions. */
  updated_at: z.number(),
  policy_id: z.number().nullable(),
  /** null: too long to hold in memory. */
  metadata: z.record(z.string(), z.unknown()).nullable(),
})
export type ItemRow = z.output<typeof ItemRow>

/** Items in the order of their numbers, as written to a file; null: an unused number. */
export const SavedItems = z.array(ItemRow.extend({ metadata: z.array(z.number()).nullable() }).nullable())
export type SavedItems = z.output<typeof SavedItems>

/** The items in a scope. */
export interface Selection {
  /** 1 for each item in scope; null: all of them. */
  allowed: Uint8Array | null
  /** Rows of these items. */
  rows: number
}

/** Selections cached until an item changes; callers repeat their scopes. */
const SCOPES_MAX = 8
/**
 * Two hashes for each pair of key and value. For so few numbers a plain array is smaller than a typed one.
 */
type Pairs = readonly number[]
const NO_PAIRS: Pairs = []
/** An item with more pairs counts as one that may match any metadata filter. */
const PAIRS_MAX = 64

/** Shared by all snapshots of the process. */
let versions = 0

/**
 * What a snapshot knows of its items, by item number. It decides a scope as the database would, except for
 * metadata: it only has hashes of that, so the database checks the matches.
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
  /** 0: no one may read the item. */
  readonly #policies: number[] = []
  /** null: may match any filter. */
  readonly #metadata: (Pairs | null)[] = []
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

  /** Changes each time an item is added or updated, and is unique within the process. */
  versionOf(item: number): number {
    return this.#versions[item] ?? 0
  }

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

  /** How many numbers are assigned, including free ones. */
  get numbers(): number {
    return this.#ids.length
  }

  /** The items with these numbers, for {@link ItemFacts.restore}. */
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

  /** Gives the items the next numbers. The caller then adds their rows. */
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

  /** Removes an item that has no rows left. */
  remove(item: number): void {
    this.#numbers.delete(this.idOf(item))
    this.#ids[item] = ''
    this.#rows[item] = 0
    this.#free.push(item)
    this.#scopes.clear()
  }

  select(scope: ItemScope): Selection {
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
      // A hot loop: every reader has another scope.
      if (!readable.has(this.#policies[item] ?? 0)) continue
      if (tests.length > 0 && !tests.every((holds) => holds(item))) continue
      rows += this.#rows[item] ?? 0
      if (allowed) allowed[item] = 1
    }
    return { allowed, rows }
  }

  #testsOf(scope: ItemScope): Test[] {
    const { authorName, sourceId, updatedFrom, updatedBefore, metadata, itemIds, exceptSourceIds } = scope
    const updated = this.#updated
    return [
      this.#isOneOf(this.#providers, scope.providers),
      this.#isOneOf(this.#kinds, scope.sourceKinds),
      this.#isOneOf(this.#sources, sourceId === undefined ? null : [sourceId]),
      this.#isOneOf(this.#authors, authorName === undefined ? null : [authorName]),
      updatedFrom === undefined ? null : (item: number) => (updated[item] ?? 0) >= updatedFrom,
      updatedBefore === undefined ? null : (item: number) => (updated[item] ?? 0) < updatedBefore,
      this.#hasMetadata(metadata),
      this.#isNamed(itemIds),
      this.#isOfNone(exceptSourceIds),
    ].filter((test) => test !== null)
  }

  #isOneOf(numbers: readonly number[], words: readonly string[] | null | undefined): Test | null {
    if (!words) return null
    const wanted = new Set(words.map((word) => this.#words.find(word)))
    return (item) => wanted.has(numbers[item] ?? -1)
  }

  #hasMetadata(metadata: ItemScope['metadata']): Test | null {
    if (!metadata || Object.keys(metadata).length === 0) return null
    const wanted = hashPairs(metadata) ?? NO_PAIRS
    return (item) => hasAll(this.#metadata[item] ?? null, wanted)
  }

  #isNamed(itemIds: readonly string[] | undefined): Test | null {
    if (!itemIds) return null
    const wanted = new Set(itemIds.map((id) => this.#numbers.get(id)))
    return (item) => wanted.has(item)
  }

  #isOfNone(sourceIds: readonly string[] | undefined): Test | null {
    if (!sourceIds || sourceIds.length === 0) return null
    const removed = new Set(sourceIds.map((id) => this.#words.find(id)))
    return (item) => !removed.has(this.#sources[item] ?? -1)
  }
}

/** Whether an item is in scope. */
type Test = (item: number) => boolean

/** Interned words: each word is stored once. */
class Words {
  readonly #numbers = new Map<string, number>()
  readonly #words: string[] = []

  number(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    this.#numbers.set(word, this.#words.length)
    return this.#words.push(word) - 1
  }

  /** The word of a number; null: none has it. */
  word(number = -1): string | null {
    return this.#words[number] ?? null
  }

  /** -2: unknown word. */
  find(word: string): number {
    return this.#numbers.get(word) ?? -2
  }
}

/** Hashes each pair of a key and a scalar value; null: too many pairs. */
function hashPairs(metadata: Readonly<Record<string, unknown>>): Pairs | null {
  const pairs = Object.entries(metadata)
  if (pairs.length === 0) return NO_PAIRS
  if (pairs.length > PAIRS_MAX) return null
  const hashes: number[] = []
  for (const [key, value] of pairs) {
    if (typeof value === 'object' && value !== null) continue
    const text = `${key}\0${JSON.stringify(value)}`
    hashes.push(hashText(text), hashText(text, 0x1b873593))
  }
  return hashes
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
