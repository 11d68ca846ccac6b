import { z } from 'zod'
import {
  count,
  EXAMPLE_ID,
  givenId,
  moment,
  nextCursor,
  onBehalfOfQuery,
  shownId,
  text,
  textOrNull,
  Timestamp,
} from '../kernel/schemas.ts'
import { PROVIDERS } from '../providers/index.ts'
import { itemFilters, itemPages, ListedSourceItem, SourceKind } from './schemas.ts'
import { ITEM_ORDERS, ITEM_TIMES } from './newest-items.ts'

/** Items by the widest reader of their policies. */
export const ACCESS_CLASSES = ['everyone', 'source', 'limited', 'nobody'] as const
export type AccessClass = (typeof ACCESS_CLASSES)[number]

const TEXT_CHARACTERS_MAX = 200

export const BrowseQuery = z.strictObject({
  q: z.string().trim().min(1).max(TEXT_CHARACTERS_MAX).optional().meta({
    description: 'Only items whose title, external ID or text contains this, ignoring case.',
    example: 'vacation',
  }),
  origin: z
    .enum([...PROVIDERS, 'files'])
    .optional()
    .meta({ description: 'Only items of this provider, or only imported `files`.', example: 'files' }),
  ...itemFilters,
  updatedAfter: Timestamp.optional().describe('Only items whose `changedAt` is this time or later.'),
  updatedBefore: Timestamp.optional().describe('Only items whose `changedAt` is before this time.'),
  access: z.enum(ACCESS_CLASSES).optional().meta({
    description:
      'Only items whose access policy admits `everyone`, the people of the source (`source`), a `limited` set of people, groups and domains, or `nobody`. For admins only.',
    example: 'limited',
  }),
  entityId: givenId
    .optional()
    .describe(
      'Only items that name this entity of the memory canvas. Items that the canvas has not read yet are excluded.',
    ),
  by: z.enum(ITEM_TIMES).optional().meta({
    description:
      'The time that orders the list: `stored` (`updatedAt`, the default) or `changed` (`changedAt`).',
    example: 'changed',
  }),
  order: z.enum(ITEM_ORDERS).optional().meta({
    description: 'The latest time first (`newest`, the default) or the earliest (`oldest`).',
    example: 'newest',
  }),
  ...itemPages,
})
export type BrowseQuery = z.output<typeof BrowseQuery>

export const BrowsedItem = ListedSourceItem.extend({
  changedAt: moment(
    'When it last changed at its source, or else when it was created there; if the source has neither date, `updatedAt`.',
  ),
  isFile: z.boolean().meta({ description: 'Whether it was imported as a file.', example: false }),
}).meta({ id: 'BrowsedItem', description: 'A stored item in the console.' })
export type BrowsedItem = z.output<typeof BrowsedItem>

export const COUNTED_MAX = 10_000

export const BrowsePage = z.object({
  items: z.array(BrowsedItem).describe('The items of this page, without their texts.'),
  nextCursor,
  total: z
    .int()
    .min(0)
    .nullable()
    .meta({
      description: `All items that match, counted up to ${COUNTED_MAX.toLocaleString('en')}; null with \`q\` and on later pages.`,
      example: 128,
    }),
})
export type BrowsePage = z.output<typeof BrowsePage>

const ItemChunk = z
  .object({
    position: count('Position in the item, from 0.', 0),
    heading: textOrNull('Headings above the chunk.', 'Vacation'),
    content: text('Text of the chunk.', 'Employees get 25 days of paid vacation a year.'),
  })
  .meta({ id: 'ItemChunk', description: 'A chunk of an item: the unit that searches return.' })

export const ChunkQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .optional()
    .describe('The `nextAfter` of the previous page. Omit it for the first page.'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of chunks.'),
  onBehalfOf: onBehalfOfQuery,
})
export type ChunkQuery = z.output<typeof ChunkQuery>

export const ChunkPage = z.object({
  chunks: z.array(ItemChunk).describe('The chunks of this page.'),
  total: count('All chunks of the item.', 3),
  nextAfter: z
    .int()
    .nullable()
    .meta({ description: 'The cursor of the next page; null on the last one.', example: null }),
})
export type ChunkPage = z.output<typeof ChunkPage>

export const DeletedSeveral = z.object({
  deleted: z.array(shownId('ID of a deleted item.', EXAMPLE_ID.sourceItem)).describe('The deleted items.'),
  notFound: z
    .array(shownId('ID of an item that was not found.', EXAMPLE_ID.sourceItem))
    .describe('The items that were not found.'),
})
export type DeletedSeveral = z.output<typeof DeletedSeveral>

export const StoredFile = z.object({
  file: z
    .object({
      externalId: text("The stored document's ID.", 'handbook/vacation.docx'),
      title: text("Title, from the file's content or its name.", 'Vacation'),
      sourceKind: SourceKind,
      isTruncated: z
        .boolean()
        .meta({ description: 'Whether text beyond 1 MiB was cut off.', example: false }),
    })
    .describe('The stored file.'),
  ingested: count('1 if the file was new or had changed, otherwise 0.', 1),
  skipped: count('1 if the file was already stored with the same content, otherwise 0.', 0),
})
export type StoredFile = z.output<typeof StoredFile>
