import { join } from 'node:path'
import { z } from 'zod'
import { ENTITY_TYPES, type EntityType, type ItemToRead } from '../src/memory-canvas/index.ts'
import { readLines } from './read-collection.ts'

/** What an item names, by kind and by who or what it is: all names that the item has for it. */
export type Labels = Partial<Record<EntityType, Record<string, readonly string[]>>>

/** An item as an adapter gives it, with what a person says that it names. */
export interface LabelledItem extends ItemToRead {
  id: string
  entities: Labels
}

const KINDS_OF_ITEMS = ['handbook', 'chat', 'mail'] as const

const LabelledLine = z.strictObject({
  id: z.string().min(1),
  provider: z.string().min(1),
  sourceKind: z.enum(['message', 'document', 'file']),
  title: z.string(),
  body: z.string(),
  authorName: z.string().nullable(),
  url: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  entities: z.partialRecord(z.enum(ENTITY_TYPES), z.record(z.string(), z.array(z.string().min(1)).min(1))),
})

/**
 * The labelled items of a folder, of its `handbook.jsonl`, `chat.jsonl` and `mail.jsonl`.
 * @throws CollectionError that names the file and line at fault
 */
export async function readLabelledItems(folder: string): Promise<LabelledItem[]> {
  const files = KINDS_OF_ITEMS.map((kind) => readLines(join(folder, `${kind}.jsonl`), LabelledLine))
  return (await Promise.all(files)).flat()
}
