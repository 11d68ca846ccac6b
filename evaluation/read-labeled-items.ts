import { join } from 'node:path'
import { z } from 'zod'
import { SOURCE_KINDS } from '../src/kernel/source-kinds.ts'
import { ENTITY_TYPES, type EntityType, type ItemToRead } from '../src/memory-canvas/index.ts'
import { readLines } from './read-collection.ts'

/** The entities of an item, by type and identity, each with all its names in the item. */
export type Labels = Partial<Record<EntityType, Record<string, readonly string[]>>>

/** An item in the form of an adapter, with labels by a person. */
export interface LabeledItem extends ItemToRead {
  id: string
  entities: Labels
}

const KINDS_OF_ITEMS = ['handbook', 'chat', 'mail'] as const

const LabeledLine = z.strictObject({
  id: z.string().min(1),
  provider: z.string().min(1),
  sourceKind: z.enum(SOURCE_KINDS),
  title: z.string(),
  body: z.string(),
  authorName: z.string().nullable(),
  url: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  entities: z.partialRecord(z.enum(ENTITY_TYPES), z.record(z.string(), z.array(z.string().min(1)).min(1))),
})

/**
 * The labeled items in a folder's `handbook.jsonl`, `chat.jsonl` and `mail.jsonl`.
 * @throws CollectionError with the file and line
 */
export async function readLabeledItems(folder: string): Promise<LabeledItem[]> {
  const files = KINDS_OF_ITEMS.map((kind) => readLines(join(folder, `${kind}.jsonl`), LabeledLine))
  return (await Promise.all(files)).flat()
}
