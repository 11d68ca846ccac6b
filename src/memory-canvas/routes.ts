import { z } from 'zod'
import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import type { Viewer } from '../kernel/viewer.ts'
import {
  AnyTime,
  count,
  EXAMPLE_ID,
  givenId,
  idOf,
  moment,
  onBehalfOfQuery,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { PROVIDERS, providerOf } from '../providers/index.ts'
import { ENTITY_TYPES } from './atoms.ts'
import type { DrawCanvas } from './canvas.ts'
import type { EntityDetails } from './entity-details.ts'
import { EDGE_TYPES } from './graph.ts'

export interface MemoryCanvasServices {
  memoryCanvas: {
    draw: DrawCanvas
    describe(viewer: Viewer, entityId: string): Promise<EntityDetails>
  }
}

const NODES_MAX = 500
const NODES_DEFAULT = 100
const QUERY_CHARACTERS_MAX = 500
const EXAMPLE_TOPIC = '8a2d5f31-0c47-4be9-a163-d94e7b02c5f8'

const EntityType = z.enum(ENTITY_TYPES).meta({ description: 'The kind of entity.', example: 'person' })

const CanvasQuery = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1)
    .max(QUERY_CHARACTERS_MAX)
    .optional()
    .describe(
      'Only entities with this name or alias, or else those that the nearest passages name, if any is near.',
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
  since: AnyTime.optional().describe('Only entities in the latest items changed at or after this time.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(NODES_MAX)
    .default(NODES_DEFAULT)
    .describe('The most nodes to return.'),
  onBehalfOf: onBehalfOfQuery,
})

const Node = z
  .object({
    id: shownId("The node's id; for a source, the source's id.", EXAMPLE_ID.entity),
    kind: z.enum(['entity', 'source']).meta({ description: 'What the node is.', example: 'entity' }),
    type: z
      .enum([...ENTITY_TYPES, ...PROVIDERS])
      .meta({ description: "The entity's kind; for a source, its provider.", example: 'person' }),
    label: text('Its most frequent name.', 'Ada Lovelace'),
    provider: z
      .enum(PROVIDERS)
      .nullable()
      .meta({ description: "A source's provider; null for an entity.", example: null }),
    weight: count('How many items name it, counted for each of its names.', 42),
  })
  .meta({ id: 'CanvasNode', description: 'An entity or a source.' })

const Edge = z
  .object({
    id: text('The edge.', `mentions:${EXAMPLE_ID.entity}:${EXAMPLE_TOPIC}`),
    source: shownId('The node where it starts.', EXAMPLE_ID.entity),
    target: shownId('The node where it ends.', EXAMPLE_TOPIC),
    type: z.enum(EDGE_TYPES).meta({ description: 'The relation.', example: 'mentions' }),
    weight: count('How many items support it.', 7),
  })
  .meta({ id: 'CanvasEdge', description: 'A relation of two nodes.' })

const Canvas = z
  .object({
    nodes: z.array(Node).describe('The heaviest first.'),
    edges: z.array(Edge).describe('The strongest edges between these nodes, heaviest first.'),
    generatedAt: moment('When this was created.'),
    complete: z
      .boolean()
      .meta({ description: 'Whether it covers every stored item in scope.', example: true }),
    itemsWaiting: count('Items in scope not yet covered.', 0),
  })
  .meta({
    id: 'MemoryCanvas',
    description: 'The people, organizations, channels and topics that stored items name.',
  })

const Details = z
  .object({
    entity: z
      .object({
        id: shownId('The entity.', EXAMPLE_ID.entity),
        type: EntityType,
        label: text('Its most frequent name.', 'Ada Lovelace'),
        aliases: z
          .array(z.string())
          .meta({ description: 'Its other names.', example: ['ada@corp.com', '@ada', 'Lovelace, Ada'] }),
        weight: count('How many items name it, counted for each of its names.', 42),
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
          .describe('The evidence for its names, most items first.'),
      })
      .describe('What it is.'),
    neighbours: z
      .array(
        z.object({
          id: shownId('The neighbour.', EXAMPLE_TOPIC),
          type: EntityType.meta({ example: 'topic' }),
          label: text('Its most frequent name.', 'Orion'),
          weight: count('How many of the latest items name both.', 7),
        }),
      )
      .describe('The strongest first.'),
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

const shared = {
  method: 'GET',
  tag: 'Memory canvas',
  action: 'memory:read',
  consoleRole: 'member',
  credits: 0,
  audit: 'none',
  onBehalfOf: 'query',
} as const

export const memoryCanvasRoutes = [
  ...readingTwins<MemoryCanvasServices>()({
    ...shared,
    operationId: 'memoryCanvas',
    path: '/memory-canvas',
    summary: 'Show the memory canvas',
    description:
      "The people, organizations, channels and topics that stored items name, with the sources and their relations, within the key's providers.",
    query: CanvasQuery,
    refuses: ['not_found', 'embedding_model_mismatch', 'upstream_error'],
    responses: { 200: Canvas },
    handle: async ({ viewer, query: { since, ...query }, signal }, { memoryCanvas }) => {
      const at = since === undefined ? {} : { since: new Date(since) }
      return reply(200, await memoryCanvas.draw(viewer, { ...query, ...at }, signal))
    },
  }),
  ...readingTwins<MemoryCanvasServices>()({
    ...shared,
    operationId: 'memoryCanvasEntity',
    path: '/memory-canvas/entities/{id}',
    summary: 'Show an entity of the memory canvas',
    params: z.object({ id: idOf('The entity.', EXAMPLE_ID.entity) }),
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    responses: { 200: Details },
    handle: async ({ viewer, params }, { memoryCanvas }) =>
      reply(200, await memoryCanvas.describe(viewer, params.id)),
  }),
]
