import { z } from 'zod'
import { hashText } from '../kernel/hash-text.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { Readable } from '../kernel/viewer.ts'
import type { SourceKind } from '../database/schema.ts'

/** The filters of a search on items, combined with AND; null or missing: no filter. */
export interface ItemScope {
  providers: readonly ProviderId[] | null
  /** The access policies that the viewer may see. */
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
  /** null: too long for memory. */
  metadata: z.record(z.string(), z.unknown()).nullable(),
})
export type ItemRow = z.output<typeof ItemRow>

/** Two hashes for each pair of a key and a scalar value in the metadata; null: may match any filter. */
const Pairs = z.array(z.number()).nullable()
type Pairs = z.output<typeof Pairs>

const HashedItem = ItemRow.extend({ metadata: Pairs })
/** Items in the order of their numbers, as saved to a file. */
export const SavedItems = z.array(HashedItem)
export type SavedItems = z.output<typeof SavedItems>

interface Item extends z.output<typeof HashedItem> {
  version: number
  /** The number of its rows; 0: the number is unused, or its rows are added next. */
  rows: number
}

export interface Selection {
  /** 1 for each item in scope; null: all of them. */
  allowed: Uint8Array | null
  rows: number
}

/** The number of selections cached until an item changes. Callers repeat their scopes. */
const SCOPES_MAX = 8
/** An item with more pairs may match any metadata filter. */
const PAIRS_MAX = 64
const SECOND_SEED = 0x1b873593

/** Shared by all snapshots of the process. */
let versions = 0

/** The filterable fields of a snapshot's items. Of metadata it has hashes, so the database checks the matches. */
export class ItemFields {
  readonly #numbers = new Map<string, number>()
  readonly #items: Item[] = []
  readonly #free: number[] = []
  /** Interns texts that items share. */
  readonly #texts = new Map<string, string>()
  readonly #selections = new Map<string, Selection>()

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  /** An item's ID and version. The version changes with each update and is unique within the process. */
  itemAt(item: number): Pick<Item, 'id' | 'version'> | undefined {
    return this.#items[item]
  }

  put(row: ItemRow): number {
    const item = this.#numbers.get(row.id) ?? this.#free.pop() ?? this.#items.length
    this.#set(item, { ...row, metadata: row.metadata && hashPairs(row.metadata) })
    return item
  }

  #set(item: number, row: z.output<typeof HashedItem>): void {
    this.#numbers.set(row.id, item)
    this.#items[item] = {
      ...row,
      provider: this.#shared(row.provider),
      source_kind: this.#shared(row.source_kind),
      source_id: this.#shared(row.source_id),
      author_name: row.author_name && this.#shared(row.author_name),
      version: ++versions,
      rows: this.#items[item]?.rows ?? 0,
    }
    this.#selections.clear()
  }

  #shared(text: string): string {
    const known = this.#texts.get(text)
    if (known === undefined) this.#texts.set(text, text)
    return known ?? text
  }

  /** The number of assigned numbers, including free ones. */
  get numbers(): number {
    return this.#items.length
  }

  /** The items with these numbers, for {@link ItemFields.restore}. */
  saved(from: number, to: number): SavedItems {
    return this.#items.slice(from, to).map(({ version: _version, rows: _rows, ...row }) => row)
  }

  /** Assigns the next numbers to the items. The caller then adds their rows. */
  restore(items: SavedItems): void {
    for (const row of items) {
      if (row.id === UNUSED.id) this.#free.push(this.#items.push(UNUSED) - 1)
      else this.#set(this.#items.length, row)
    }
  }

  addRows(item: number, count: number): void {
    const of = this.#items[item]
    if (of) of.rows += count
    this.#selections.clear()
  }

  remove(item: number): void {
    const of = this.#items[item]
    if (of === undefined) return
    this.#numbers.delete(of.id)
    this.#items[item] = UNUSED
    this.#free.push(item)
    this.#selections.clear()
  }

  select(scope: ItemScope): Selection {
    if (scope.itemIds) return this.#look(scope)
    const key = JSON.stringify(scope)
    const selection = this.#selections.get(key) ?? this.#look(scope)
    if (this.#selections.size >= SCOPES_MAX) this.#selections.clear()
    this.#selections.set(key, selection)
    return selection
  }

  #look(scope: ItemScope): Selection {
    const { readable, itemIds } = scope
    const tests = testsOf(scope)
    const isAll = readable.isEverything && tests.length === 0 && !itemIds
    const allowed = isAll ? null : new Uint8Array(new SharedArrayBuffer(this.#items.length))
    const numbers = itemIds ? new Set(itemIds.map((id) => this.#numbers.get(id) ?? -1)) : this.#items.keys()
    let rows = 0
    for (const number of numbers) {
      const item = this.#items[number]
      // A hot loop: scopes differ by viewer.
      if (item === undefined || !readable.has(item.policy_id) || !tests.every((holds) => holds(item)))
        continue
      rows += item.rows
      if (allowed) allowed[number] = 1
    }
    return { allowed, rows }
  }
}

/** Marks a number without an item. */
const UNUSED: Item = {
  id: '',
  provider: '',
  source_kind: '',
  source_id: '',
  author_name: null,
  updated_at: 0,
  policy_id: null,
  metadata: null,
  version: 0,
  rows: 0,
}

type Test = (item: Item) => boolean

function testsOf(scope: ItemScope): Test[] {
  const { authorName, sourceId, updatedFrom, updatedBefore, metadata = {}, exceptSourceIds } = scope
  const tests: Test[] = []
  const oneOf = (wanted: readonly string[] | null | undefined, get: (item: Item) => string): void => {
    if (wanted) tests.push((item) => wanted.includes(get(item)))
  }
  oneOf(scope.providers, ({ provider }) => provider)
  oneOf(scope.sourceKinds, ({ source_kind: kind }) => kind)
  if (sourceId !== undefined) tests.push((item) => item.source_id === sourceId)
  if (authorName !== undefined) tests.push((item) => item.author_name === authorName)
  if (updatedFrom !== undefined) tests.push((item) => item.updated_at >= updatedFrom)
  if (updatedBefore !== undefined) tests.push((item) => item.updated_at < updatedBefore)
  if (exceptSourceIds?.length) tests.push((item) => !exceptSourceIds.includes(item.source_id))
  const wanted = hashPairs(metadata) ?? []
  if (wanted.length > 0) tests.push((item) => hasAll(item.metadata, wanted))
  return tests
}

/** null: too many pairs */
function hashPairs(metadata: Readonly<Record<string, unknown>>): Pairs {
  const pairs = Object.entries(metadata)
  if (pairs.length > PAIRS_MAX) return null
  const hashes: number[] = []
  for (const [key, value] of pairs) {
    if (typeof value === 'object' && value !== null) continue
    const text = `${key}\0${JSON.stringify(value)}`
    hashes.push(hashText(text), hashText(text, SECOND_SEED))
  }
  return hashes
}

function hasAll(pairs: Pairs, wanted: readonly number[]): boolean {
  if (pairs === null) return true
  for (let at = 0; at < wanted.length; at += 2) {
    let found = false
    for (let of = 0; of < pairs.length && !found; of += 2)
      found = pairs[of] === wanted[at] && pairs[of + 1] === wanted[at + 1]
    if (!found) return false
  }
  return true
}
