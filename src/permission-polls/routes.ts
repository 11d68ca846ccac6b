import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import { EXAMPLE_ID, idOf } from '../kernel/schemas.ts'
import { describePermissions } from './describe-permissions.ts'
import { SourcePermissions } from './schemas.ts'

export interface SourcePermissionServices {
  db: Db
}

export const sourcePermissionRoutes = [
  defineRoute<SourcePermissionServices>()({
    operationId: 'consoleGetSourcePermissions',
    method: 'GET',
    path: '/v1/console/sources/{id}/permissions',
    summary: "Show a source's permissions and their freshness",
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'admin', action: 'sources:read' },
    audit: 'none',
    params: z.object({ id: idOf("The source's ID, from `GET /v1/sources`.", EXAMPLE_ID.source) }),
    responses: { 200: z.object({ permissions: SourcePermissions }) },
    handle: async ({ caller, params }, { db }) =>
      reply(200, { permissions: await describePermissions(db, caller, params.id) }),
  }),
]
