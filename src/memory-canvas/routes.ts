import { z } from 'zod'
import { reply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { EXAMPLE_ID, idOf, onBehalfOfQuery } from '../kernel/schemas.ts'
import type { DrawCanvas } from './canvas.ts'
import { Canvas, CanvasQuery, EntityDetails } from './schemas.ts'

export interface MemoryCanvasServices {
  memoryCanvas: {
    draw: DrawCanvas
    describe(viewer: Viewer, entityId: string): Promise<EntityDetails>
  }
}

const shared = {
  method: 'GET',
  tag: 'Memory canvas',
  action: 'memory:read',
  consoleRole: 'member',
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
      "The entities named in stored items, the sources, and the relations between them, within the key's providers.",
    query: CanvasQuery,
    refuses: ['not_found', 'embedding_model_mismatch', 'upstream_error'],
    responses: { 200: Canvas },
    handle: async ({ viewer, query, signal }, { memoryCanvas }) =>
      reply(200, await memoryCanvas.draw(viewer, query, signal)),
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
