import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { defineRoute, reply } from '../http/route.ts'
import { count, EXAMPLE_ID, idOf, momentOrNull, textOrNull } from '../kernel/schemas.ts'
import { Audience } from '../sources/index.ts'
import { describePermissions } from './describe-permissions.ts'

export interface SourcePermissionServices {
  db: Db
}

const SourcePermissions = z
  .object({
    kind: z.enum(['items', 'audience', 'pushed']).meta({
      description:
        '`items`: the provider says who can read each item; `audience`: you choose who can read everything; `pushed`: each document has its policy.',
      example: 'items',
    }),
    audience: Audience.nullable().meta({
      description: 'Who can read everything, if you choose the readers.',
      example: null,
    }),
    connector: textOrNull('The address behind `connector`; null: unknown.', null),
    people: count('People of the provider workspace, or of the audience.', 42),
    groups: count('Groups of the source, such as private channels.', 3),
    checkedAt: momentOrNull('Last time that people, groups and changed permissions were read.'),
    errorMessage: textOrNull("Why the last read failed, in the provider's words."),
  })
  .meta({
    id: 'SourcePermissions',
    description: "Who can read a source's items, and how fresh that information is.",
  })

export const sourcePermissionRoutes = [
  defineRoute<SourcePermissionServices>()({
    operationId: 'consoleGetSourcePermissions',
    method: 'GET',
    path: '/v1/console/sources/{id}/permissions',
    summary: "Show a source's permissions and their freshness",
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'admin', action: 'sources:read' },
    credits: 0,
    audit: 'none',
    params: z.object({ id: idOf("The source's id, from `GET /v1/sources`.", EXAMPLE_ID.source) }),
    responses: { 200: z.object({ permissions: SourcePermissions }) },
    handle: async ({ caller, params }, { db }) =>
      reply(200, { permissions: await describePermissions(db, caller, params.id) }),
  }),
]
