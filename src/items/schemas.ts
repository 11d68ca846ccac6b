import { z } from 'zod'
import { providerOf, PROVIDERS } from '../providers/index.ts'
import type { Row } from '../database/schema.ts'
import {
  EXAMPLE_ID,
  givenId,
  moment,
  momentOrNull,
  nextCursor,
  onBehalfOfQuery,
  pageCursor,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { SOURCE_KINDS } from '../kernel/source-kinds.ts'
import { fieldsOf, listedFieldsOf } from './item.ts'

export const SourceKind = z
  .enum(SOURCE_KINDS)
  .meta({ description: 'What the item is: a message, a document or a file.', example: 'document' })

/** The filters that every list of items has. */
export const itemFilters = {
  connectorId: givenId.optional().describe('Only items of this source.'),
  sourceKind: z
    .enum(SOURCE_KINDS)
    .optional()
    .meta({ description: 'Only items of this kind.', example: 'document' }),
}

const SOUGHT_CHARACTERS_MAX = 200
/** The page of a list of items, and on whose behalf it is read. */
export const itemPages = {
  cursor: pageCursor,
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of items.'),
  onBehalfOf: onBehalfOfQuery,
}

export const ListQuery = z.strictObject({
  provider: z
    .enum(PROVIDERS)
    .optional()
    .meta({ description: 'Only items of this provider.', example: 'notion' }),
  ...itemFilters,
  title: z.string().trim().min(1).max(SOUGHT_CHARACTERS_MAX).optional().meta({
    description: 'Only items whose title or external ID contains this text, ignoring case.',
    example: 'vacation',
  }),
  ...itemPages,
})
export type ListQuery = z.output<typeof ListQuery>

export const SourceItem = z
  .object({
    id: shownId("The item's ID. It does not change with the content.", EXAMPLE_ID.sourceItem),
    connectorId: shownId("The item's source.", EXAMPLE_ID.source),
    provider: providerOf("The item's provider."),
    sourceKind: SourceKind,
    externalId: text("The item's ID in the caller's or the provider's system.", 'handbook/vacation'),
    title: text('The title.', 'Vacation'),
    body: text(
      'The whole text.',
      'Employees get 25 days of paid vacation a year. Unused days expire in March.',
    ),
    url: textOrNull('The link to the original.', 'https://wiki.example.com/vacation'),
    authorName: textOrNull("The author's name.", 'Ada Lovelace'),
    sourceCreatedAt: momentOrNull('When it was written at the source.', '2026-01-12T08:00:00.000Z'),
    sourceUpdatedAt: momentOrNull('When it last changed at the source.', '2026-03-01T16:45:00.000Z'),
    metadata: z
      .record(z.string(), z.unknown())
      .meta({ description: "The item's other fields.", example: { team: 'people' } }),
    syncedAt: moment('When the provider or the caller last confirmed it.'),
    createdAt: moment('When it was first stored.'),
    updatedAt: moment('When its stored content last changed.'),
  })
  .meta({ id: 'SourceItem', description: 'A stored document, message or file.' })
export type SourceItem = z.output<typeof SourceItem>

export function toSourceItem(row: Row<'source_items'>): SourceItem {
  const { sourceId, sourceCreatedAt, sourceUpdatedAt, ...fields } = fieldsOf(row)
  return {
    ...fields,
    id: row.id,
    connectorId: sourceId,
    sourceCreatedAt: sourceCreatedAt?.toISOString() ?? null,
    sourceUpdatedAt: sourceUpdatedAt?.toISOString() ?? null,
    metadata: row.metadata,
    syncedAt: row.synced_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

export const ListedSourceItem = SourceItem.omit({
  body: true,
  sourceCreatedAt: true,
  metadata: true,
  createdAt: true,
}).meta({ id: 'ListedSourceItem', description: 'A stored item without its text.' })
export type ListedSourceItem = z.output<typeof ListedSourceItem>

/** Also has `LISTED_COLUMNS`. */
export const ListedRow = z.looseObject({ id: z.string(), updated_at: z.date(), synced_at: z.date() })

export function toListedSourceItem(row: z.output<typeof ListedRow>): ListedSourceItem {
  const { sourceId, sourceUpdatedAt, ...fields } = listedFieldsOf(row)
  return {
    ...fields,
    id: row.id,
    connectorId: sourceId,
    sourceUpdatedAt: sourceUpdatedAt?.toISOString() ?? null,
    updatedAt: row.updated_at.toISOString(),
    syncedAt: row.synced_at.toISOString(),
  }
}

export const ItemPage = z.object({
  sourceItems: z.array(ListedSourceItem).describe('The items of this page, without their texts.'),
  nextCursor,
})
export type ItemPage = z.output<typeof ItemPage>

export const DeletedSourceItem = z
  .object({
    sourceItem: SourceItem.pick({ id: true, connectorId: true, provider: true, externalId: true }).describe(
      'IDs of the deleted item.',
    ),
    deletedAt: moment('When it was deleted.'),
  })
  .meta({ id: 'DeletedSourceItem', description: 'A deleted item.' })
export type DeletedSourceItem = z.output<typeof DeletedSourceItem>

export const ItemReader = z
  .object({
    kind: z.enum(['everyone', 'member', 'source', 'user', 'group', 'domain']).meta({
      description:
        '`everyone` on whose behalf requests are made, `member` for members of the organization, `source` for users of the source, or one `user`, `group` or `domain`.',
      example: 'group',
    }),
    name: textOrNull('An address, a group or a domain; null for kinds without a name.', 'legal'),
    memberCount: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Number of members; null for kinds without members.', example: 12 }),
    denied: z
      .boolean()
      .meta({ description: 'Whether reading is denied, even if another entry grants it.', example: false }),
  })
  .meta({ id: 'ItemReader', description: 'A principal in an access policy.' })
export type ItemReader = z.output<typeof ItemReader>
