import { z } from 'zod'
import { defineRoute } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer } from '../http/twins.ts'
import { givenId, onBehalfOf, text } from '../kernel/schemas.ts'
import type { ItemServices } from './routes.ts'

const CONTENT_TYPE = 'application/x-ndjson'

export const exportRoutes = [
  // Not in the console, where people read with their own permissions: an export is complete.
  defineRoute<ItemServices>()({
    operationId: 'exportWorkspace',
    method: 'POST',
    path: '/v1/export',
    summary: 'Export all items with their vectors',
    description:
      'One JSON object per line: a header, every item with its access policy, chunks and vectors, and an end line. `memory import` reads it. Items that change during the export appear as they were when read.',
    tag: 'Ingest',
    access: { surface: 'agent', action: 'admin', reach: null },
    audit: 'organization.export',
    body: z.strictObject({
      after: givenId
        .optional()
        .describe(
          'Continues an interrupted export after the item with this `id`: the one in the last complete line.',
        ),
      onBehalfOf,
    }),
    onBehalfOf: 'body',
    refuses: [...PERSON_REFUSALS, 'provider_not_allowed', 'overloaded'],
    downloads: [CONTENT_TYPE],
    responses: { 200: text('One object per line.', '{"format":"retrieval-memory","version":1,…}') },
    handle: async ({ viewer, viewAgain, body }, { items }) => ({
      download: {
        text: await items.export(requireViewer(viewer), body.after, async () =>
          requireViewer(await viewAgain()),
        ),
        contentType: CONTENT_TYPE,
        filename: 'workspace.jsonl',
      },
    }),
  }),
]
