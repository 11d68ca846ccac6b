import { z } from 'zod'
import type { ProviderId } from '../kernel/provider-id.ts'
import { type Pausable, runCooperatively } from '../kernel/cooperative.ts'
import type { Readable } from '../kernel/viewer.ts'
import {
  conditionsOf,
  HashedItem,
  hashItem,
  type ItemRow,
  oneOf,
  type SearchFilter,
  type Test,
} from './search-filter.ts'

/** The conditions of a search; null or missing: no condition. */
export interface ItemScope {
  /** The filter's providers that the caller may read. */
  providers: readonly ProviderId[] | null
  /** The access policies that the viewer may see. */
  readable: Readable
  filter?: SearchFilter | undefined
  /** The items that name the filter's entity. */
  itemIds?: readonly string[] | null | undefined
  /** Without these sources. */
  exceptSourceIds?: readonly string[] | undefined
}

/** Items in the order of their numbers, as saved to a file; null: the number is free. */
export const SavedItems = z.array(HashedItem.nullable())
export type SavedItems = z.output<typeof SavedItems>

interface Item extends HashedItem {
  version: number
  rows: number
}

export interface Selection {
  /** 1 for each item in scope; null: all of them. */
  allowed: Uint8Array | null
  /** Rows in scope; null: only the database can count them, because some items may not match. */
  rows: number | null
}

/** The number of selections cached until an item changes. Callers repeat their scopes. */
const SCOPES_MAX = 8

/** Items looked at without a pause, in well under a millisecond. */
const ITEMS_A_TURN = 4_096

/** Texts kept beyond the number of items, which are those of former versions. */
const FORMER_TEXTS_MAX = 1_000

/** Shared by all snapshots of the process. */
let versions = 0

/** The filterable fields of a snapshot's items. Of metadata it has hashes, so the database checks the matches. */
export class ItemFields {
  readonly #numbers = new Map<string, number>()
  /** By number; null: the number is free. */
  readonly #items: (Item | null)[] = []
  readonly #free: number[] = []
  /** Interns texts that items share. */
  readonly #texts = new Map<string, string>()
  readonly #selections = new Map<string, Promise<Selection>>()

  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  /** An item's ID and version. The version changes with each update and is unique within the process. */
  itemAt(item: number): Pick<Item, 'id' | 'version'> | null | undefined {
    return this.#items[item]
  }

  put(row: ItemRow): number {
    const item = this.#numbers.get(row.id) ?? this.#free.pop() ?? this.#items.length
    this.#set(item, hashItem(row))
    return item
  }

  #set(item: number, row: HashedItem): void {
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
    if (known !== undefined) return known
    if (this.#texts.size >= this.#numbers.size + FORMER_TEXTS_MAX) this.#texts.clear()
    this.#texts.set(text, text)
    return text
  }

  /** The number of assigned numbers, including free ones. */
  get numbers(): number {
    return this.#items.length
  }

  /** The items with these numbers, for {@link ItemFields.restore}. */
  saved(from: number, to: number): SavedItems {
    return this.#items.slice(from, to).map((item) => {
      if (item === null) return null
      const { version: _version, rows: _rows, ...row } = item
      return row
    })
  }

  /** Assigns the next numbers to the items. The caller then adds their rows. */
  restore(items: SavedItems): void {
    for (const row of items) {
      if (row === null) this.#free.push(this.#items.push(null) - 1)
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
    if (!of) return
    this.#numbers.delete(of.id)
    this.#items[item] = null
    this.#free.push(item)
    this.#selections.clear()
  }

  /** Yields to the event loop. If items change meanwhile, the selection belongs to no single state of them. */
  async select(scope: ItemScope): Promise<Selection> {
    if (scope.itemIds) return await runCooperatively(this.#look(scope))
    const key = JSON.stringify(scope)
    const selection = this.#selections.get(key) ?? runCooperatively(this.#look(scope))
    if (this.#selections.size >= SCOPES_MAX) this.#selections.clear()
    this.#selections.set(key, selection)
    return await selection
  }

  *#look(scope: ItemScope): Pausable<Selection> {
    const { readable, itemIds } = scope
    const tests = testsOf(scope)
    const isInScope = (item: Item): boolean =>
      readable.has(item.policy_id) && tests.every((holds) => holds(item))
    const isAll = readable.isEverything && tests.length === 0 && !itemIds
    const allowed = isAll ? null : new Uint8Array(new SharedArrayBuffer(this.#items.length))
    const asksForMetadata = hasMetadata(scope)
    let rows = 0
    let isCounted = true
    let looked = 0
    for (const number of this.#numbersOf(itemIds)) {
      if (++looked % ITEMS_A_TURN === 0) yield
      const item = this.#items[number]
      // A hot loop: scopes differ by viewer.
      if (!item || !isInScope(item)) continue
      rows += item.rows
      if (asksForMetadata && item.metadata === null) isCounted = false
      if (allowed) allowed[number] = 1
    }
    return { allowed, rows: isCounted ? rows : null }
  }

  #numbersOf(itemIds: ItemScope['itemIds']): Iterable<number> {
    return itemIds ? new Set(itemIds.map((id) => this.#numbers.get(id) ?? -1)) : this.#items.keys()
  }
}

function hasMetadata({ filter }: ItemScope): boolean {
  return Object.keys(filter?.metadata ?? {}).length > 0
}

function testsOf({ providers, filter = {}, exceptSourceIds }: ItemScope): Test[] {
  const tests: (Test | null)[] = [
    providers && oneOf(providers, (item) => item.provider),
    ...conditionsOf(filter).map(({ test }) => test),
    exceptSourceIds?.length ? (item) => !exceptSourceIds.includes(item.source_id) : null,
  ]
  return tests.filter((test) => test !== null)
}
