import { z } from 'zod'
import type { FixedContent } from '../http/fixed-content.ts'
import { defineRoute } from '../http/route.ts'

export interface ReferenceServices {
  openApi(): Promise<FixedContent>
}

export const referenceRoutes = [
  defineRoute<ReferenceServices>()({
    method: 'GET',
    operationId: 'openApi',
    path: '/openapi.json',
    tag: 'Operations',
    access: { surface: 'public' },
    audit: 'none',
    summary: 'The OpenAPI document',
    description: 'Returns 304 without a body if `If-None-Match` has the `ETag` of the current version.',
    responses: {
      200: z
        .record(z.string(), z.unknown())
        .meta({ description: 'An OpenAPI 3.1 document.', example: { openapi: '3.1.1' } }),
    },
    handle: async (_request, { openApi }) => ({ fixed: await openApi() }),
  }),
]
