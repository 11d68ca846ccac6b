import { z } from 'zod'
import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { AnyTime, EXAMPLE_ID, givenId, idOf, onBehalfOfQuery } from '../kernel/schemas.ts'
import { PROVIDERS } from '../providers/index.ts'
import { ENTITY_TYPES } from '../database/schema-words.ts'
import type { DrawCanvas } from './canvas.ts'
import { Canvas, EntityDetails } from './schemas.ts'

export interface MemoryCanvasServices {
  memoryCanvas: {
    draw: DrawCanvas
    describe(viewer: Viewer, entityId: string): Promise<EntityDetails>
  }
}

const NODES_MAX = 500

const NODES_DEFAULT = 100

const QUERY_CHARACTERS_MAX = 500

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
    responses: { 200: EntityDetails },
    handle: async ({ viewer, params }, { memoryCanvas }) =>
      reply(200, await memoryCanvas.describe(viewer, params.id)),
  }),
]
