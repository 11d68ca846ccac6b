import { z } from 'zod'
import {
  AnyTime,
  count,
  EXAMPLE_ID,
  givenId,
  moment,
  onBehalfOfQuery,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { PROVIDERS, providerOf } from '../providers/index.ts'
import { ENTITY_TYPES } from '../database/schema-words.ts'

export const EDGE_TYPES = ['authored', 'mentions', 'posted_in', 'co_occurs'] as const

const EXAMPLE_TOPIC = '8a2d5f31-0c47-4be9-a163-d94e7b02c5f8'

const EntityType = z.enum(ENTITY_TYPES).meta({ description: 'The kind of entity.', example: 'person' })

const NODES_MAX = 500
const NODES_DEFAULT = 100
const QUERY_CHARACTERS_MAX = 500

export const CanvasQuery = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1)
    .max(QUERY_CHARACTERS_MAX)
    .optional()
    .describe(
      'Only entities with this name or alias. If there are none, entities that the nearest passages name, if any passage is near enough.',
    ),
  provider: z
    .enum(PROVIDERS)
    .optional()
    .meta({ description: 'Only items of this provider.', example: 'notion' }),
  entityType: z
    .enum(ENTITY_TYPES)
    .optional()
    .meta({ description: 'Only entities of this kind, and no sources.', example: 'topic' }),
  around: givenId.optional().describe('Only entities in the latest items of the node with this ID.'),
  since: AnyTime.transform((time) => new Date(time))
    .optional()
    .describe('Only entities in the latest items changed at or after this time.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(NODES_MAX)
    .default(NODES_DEFAULT)
    .describe('Maximum number of nodes.'),
  onBehalfOf: onBehalfOfQuery,
})
export type CanvasQuery = z.output<typeof CanvasQuery>

export const CanvasNode = z
  .object({
    id: shownId("The node's ID; for a source, the source's ID.", EXAMPLE_ID.entity),
    kind: z.enum(['entity', 'source']).meta({ description: 'What the node is.', example: 'entity' }),
    type: z
      .enum([...ENTITY_TYPES, ...PROVIDERS])
      .meta({ description: "The entity's kind; for a source, its provider.", example: 'person' }),
    label: text('The most frequent name.', 'Ada Lovelace'),
    provider: z
      .enum(PROVIDERS)
      .nullable()
      .meta({ description: "A source's provider; null for an entity.", example: null }),
    weight: count('Number of items that name it. An item counts once for each of the names it uses.', 42),
  })
  .meta({ id: 'CanvasNode', description: 'An entity or a source.' })
export type CanvasNode = z.output<typeof CanvasNode>

export const CanvasEdge = z
  .object({
    id: text("The edge's ID.", `mentions:${EXAMPLE_ID.entity}:${EXAMPLE_TOPIC}`),
    source: shownId('The node where it starts.', EXAMPLE_ID.entity),
    target: shownId('The node where it ends.', EXAMPLE_TOPIC),
    type: z.enum(EDGE_TYPES).meta({ description: 'The relation.', example: 'mentions' }),
    weight: count('Number of items that support the relation.', 7),
  })
  .meta({ id: 'CanvasEdge', description: 'A relation between two nodes.' })
export type CanvasEdge = z.output<typeof CanvasEdge>

export const Canvas = z
  .object({
    nodes: z.array(CanvasNode).describe('The nodes, heaviest first.'),
    edges: z.array(CanvasEdge).describe('The strongest edges between these nodes, heaviest first.'),
    generatedAt: moment('When the graph was generated.'),
    complete: z
      .boolean()
      .meta({ description: 'Whether it covers every stored item in scope.', example: true }),
    itemsWaiting: count('Items in scope not yet covered.', 0),
  })
  .meta({
    id: 'MemoryCanvas',
    description: 'The people, organizations, channels and topics that stored items name.',
  })
export type Canvas = z.output<typeof Canvas>

export const EntityDetails = z
  .object({
    entity: z
      .object({
        id: shownId('The entity.', EXAMPLE_ID.entity),
        type: EntityType,
        label: text("The entity's most frequent name.", 'Ada Lovelace'),
        aliases: z.array(z.string()).meta({
          description: "The entity's other names.",
          example: ['ada@corp.com', '@ada', 'Lovelace, Ada'],
        }),
        weight: count('Number of items that name it. An item counts once for each of the names it uses.', 42),
        firstSeenAt: moment(
          'When the first item that names it was last changed.',
          '2025-11-03T08:15:00.000Z',
        ),
        lastSeenAt: moment('When the latest item that names it was changed.'),
        evidence: z
          .array(
            z.object({
              name: text('One of its names.', 'Ada Lovelace'),
              items: count('Items with this name.', 12),
              sourceItemId: shownId('The latest of them.', EXAMPLE_ID.sourceItem),
            }),
          )
          .describe('Evidence for the names, most items first.'),
      })
      .describe('The entity.'),
    neighbours: z
      .array(
        z.object({
          id: shownId("The neighbor's ID.", EXAMPLE_TOPIC),
          type: EntityType.meta({ example: 'topic' }),
          label: text("The entity's most frequent name.", 'Orion'),
          weight: count('Number of the latest items that name both.', 7),
        }),
      )
      .describe('The neighbors, strongest first.'),
    items: z
      .array(
        z.object({
          sourceItemId: shownId('The item.', EXAMPLE_ID.sourceItem),
          title: text("The item's title.", 'Vacation'),
          url: textOrNull('The link to the original.', 'https://wiki.example.com/vacation'),
          provider: providerOf('The provider that the item is from.'),
          snippet: text(
            'The passage that names it, or else the beginning of the item.',
            'Ada Lovelace approves vacation.',
          ),
        }),
      )
      .describe('The latest items that name it.'),
  })
  .meta({ id: 'CanvasEntity', description: 'An entity with its neighbours and items.' })
export type EntityDetails = z.output<typeof EntityDetails>
