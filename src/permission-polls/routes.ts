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
        '`items`: the provider says who may read each item; `audience`: you choose who reads everything; `pushed`: each document carries its policy.',
      example: 'items',
    }),
    audience: Audience.nullable().meta({
      description: 'Who reads everything, where you choose.',
      example: null,
    }),
    connector: textOrNull('The address that `connector` stands for; null: none is known.', null),
    people: count('People of the provider workspace, or of the audience.', 42),
    groups: count('Groups that the source knows, such as private channels.', 3),
    checkedAt: momentOrNull('When people, groups and changed permissions were last read.'),
    errorMessage: textOrNull("Why the last reading failed, in the provider's words."),
  })
  .meta({ id: 'SourcePermissions', description: 'Who may read what a source brings, and how fresh that is.' })

export const sourcePermissionRoutes = [
  defineRoute<SourcePermissionServices>()({
    operationId: 'consoleGetSourcePermissions',
    method: 'GET',
    path: '/v1/console/sources/{id}/permissions',
    summary: 'Show how the permissions of a source work, and how fresh they are',
    tag: 'Sources (console)',
    access: { surface: 'console', role: 'admin', action: 'sources:read' },
    credits: 0,
    audit: 'none',
    params: z.object({ id: idOf("The source's id, from `GET /v1/sources`.", EXAMPLE_ID.source) }),
    responses: { 200: z.object({ permissions: SourcePermissions }) },
    handle: async ({ principal, params }, { db }) =>
      reply(200, { permissions: await describePermissions(db, principal, params.id) }),
  }),
]
