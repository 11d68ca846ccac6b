import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { itemDate } from '../database/item-date.ts'
import { SOURCE_KINDS } from '../kernel/source-kinds.ts'
import { hashText } from '../kernel/hash-text.ts'
import { boundedRecord, distinct, givenId, Timestamp } from '../kernel/schemas.ts'
import { storableJson, storableText } from '../kernel/text.ts'
import { PROVIDERS } from '../providers/index.ts'

const METADATA_KEYS_MAX = 16
const TEXT_CHARACTERS_MAX = 1_000

/** Conditions on hits, within the caller's scope. */
export const SearchFilter = z
  .strictObject({
    providers: distinct(z.enum(PROVIDERS)).optional().describe('Only items of these providers.'),
    sourceKinds: distinct(z.enum(SOURCE_KINDS)).optional().describe('Only items of these kinds.'),
    authorName: z
      .string()
      .min(1)
      .max(TEXT_CHARACTERS_MAX)
      .optional()
      .describe('Only items by exactly this author.'),
    updatedAfter: Timestamp.optional().describe(
      'Only items that changed at the source at this time or later.',
    ),
    updatedBefore: Timestamp.optional().describe('Only items that changed at the source before this time.'),
    connectorId: givenId.optional().describe('Only items of this source.'),
    entityId: givenId
      .optional()
      .describe(
        'Only items that name this entity of the memory canvas. Items that the canvas has not read yet are excluded.',
      ),
    metadata: boundedRecord(
      z.string().max(TEXT_CHARACTERS_MAX),
      z.union([z.string().max(TEXT_CHARACTERS_MAX), z.number(), z.boolean(), z.null()]),
      METADATA_KEYS_MAX,
    )
      .optional()
      .describe('Only items with exactly these values at these metadata keys.'),
  })
  .meta({ id: 'SearchFilter', description: 'Conditions that the item of each hit must meet.' })
export type SearchFilter = z.output<typeof SearchFilter>

/** Longer metadata, in stored bytes, is not held in memory. */
const METADATA_BYTES_MAX = 4_096
const UPDATED_AT = itemDate('f')

/** The item fields that snapshots hold for filters. */
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

/** The SQL of the fields that are no columns. */
const COMPUTED: Partial<Record<keyof ItemRow, string>> = {
  updated_at: `(extract(epoch from ${UPDATED_AT}) * 1000)::float8`,
  metadata: `case when pg_column_size(f.metadata) <= ${METADATA_BYTES_MAX} then f.metadata end`,
}

/** Selects an {@link ItemRow} from item `f`. */
export const ITEM_ROW_COLUMNS = ItemRow.keyof()
  .options.map((name) => `${COMPUTED[name] ?? `f.${name}`} as ${name}`)
  .join(', ')

/** Two hashes for each pair of a key and a scalar value in the metadata, in their order; null: may match any filter. */
const Pairs = z.array(z.number()).nullable()
type Pairs = z.output<typeof Pairs>

export const HashedItem = ItemRow.extend({ metadata: Pairs })
export type HashedItem = z.output<typeof HashedItem>

export function hashItem(row: ItemRow): HashedItem {
  return { ...row, metadata: row.metadata && hashPairs(row.metadata) }
}

export type Test = (item: HashedItem) => boolean

export interface Condition {
  /** On item `f`. */
  where: RawBuilder<unknown>
  /** On an item of a snapshot; null: every item passes. */
  test: Test | null
}

/** `search.ts` resolves the other filters. */
const ItemFilter = SearchFilter.omit({ providers: true, entityId: true })
type GivenFilter = z.output<typeof ItemFilter>
type Values = { [Name in keyof GivenFilter]-?: NonNullable<GivenFilter[Name]> }
type ItemFilter = { readonly [Name in keyof Values]?: Values[Name] | undefined }

const CONDITIONS: { [Name in keyof Values]: (value: Values[Name]) => Condition } = {
  sourceKinds: (kinds) => ({
    where: sql`f.source_kind in (${sql.join(kinds)})`,
    test: oneOf(kinds, (item) => item.source_kind),
  }),
  authorName: (given) => {
    const name = storableText(given)
    return { where: sql`f.author_name = ${name}`, test: (item) => item.author_name === name }
  },
  connectorId: (id) => ({ where: sql`f.source_id = ${id}`, test: (item) => item.source_id === id }),
  updatedAfter: (given) => {
    const date = new Date(given)
    const time = date.getTime()
    return { where: sql`${sql.raw(UPDATED_AT)} >= ${date}`, test: (item) => item.updated_at >= time }
  },
  updatedBefore: (given) => {
    const date = new Date(given)
    const time = date.getTime()
    return { where: sql`${sql.raw(UPDATED_AT)} < ${date}`, test: (item) => item.updated_at < time }
  },
  metadata: (given) => {
    const stored = Metadata.parse(storableJson(given))
    const wanted = hashPairs(stored) ?? []
    return {
      // For a scalar, containment is equality.
      where: sql`f.metadata @> ${JSON.stringify(stored)}::jsonb`,
      test: wanted.length === 0 ? null : (item) => hasAll(item.metadata, wanted),
    }
  },
}
const Metadata = z.record(z.string(), z.unknown())

/** Tests the values of a field. */
export function oneOf(wanted: readonly string[], get: (item: HashedItem) => string): Test {
  return (item) => wanted.includes(get(item))
}

const FILTER_NAMES = ItemFilter.keyof().options

export function conditionsOf(filter: ItemFilter): Condition[] {
  return FILTER_NAMES.flatMap((name) => conditionOf(name, filter[name]))
}

function conditionOf<Name extends keyof Values>(name: Name, value: Values[Name] | undefined): Condition[] {
  return value === undefined ? [] : [CONDITIONS[name](value)]
}

/** An item with more pairs may match any metadata filter. */
const PAIRS_MAX = 64
const SECOND_SEED = 0x1b873593

/** null: too many pairs */
function hashPairs(metadata: Readonly<Record<string, unknown>>): Pairs {
  const pairs = Object.entries(metadata)
  if (pairs.length > PAIRS_MAX) return null
  const hashes: [number, number][] = []
  for (const [key, value] of pairs) {
    if (typeof value === 'object' && value !== null) continue
    const text = `${key}\0${JSON.stringify(value)}`
    hashes.push([hashText(text), hashText(text, SECOND_SEED)])
  }
  return hashes.toSorted(([a, b], [c, d]) => a - c || b - d).flat()
}

/** Reads both lists once, because a search tests every item. */
function hasAll(pairs: Pairs, wanted: readonly number[]): boolean {
  if (pairs === null) return true
  let of = 0
  for (let at = 0; at < wanted.length; at += 2) {
    const [first = 0, second = 0] = [wanted[at], wanted[at + 1]]
    while ((pairs[of] ?? first) < first || (pairs[of] === first && (pairs[of + 1] ?? second) < second))
      of += 2
    if (pairs[of] !== first || pairs[of + 1] !== second) return false
  }
  return true
}
