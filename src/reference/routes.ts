import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'

export interface ReferenceServices {
  /** The OpenAPI 3.1 document of this deployment. */
  openApiDocument(): Record<string, unknown>
}

export const referenceRoutes = [
  defineRoute<ReferenceServices>()({
    method: 'GET',
    operationId: 'openApi',
    path: '/openapi.json',
    tag: 'Operations',
    access: { surface: 'public' },
    credits: 0,
    audit: 'none',
    summary: 'The OpenAPI document',
    responses: {
      200: z
        .record(z.string(), z.unknown())
        .meta({ description: 'An OpenAPI 3.1 document.', example: { openapi: '3.1.1' } }),
    },
    handle: async (_request, { openApiDocument }) => reply(200, openApiDocument()),
  }),
]
