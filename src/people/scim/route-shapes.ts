import { z } from 'zod'
import { defineRoute, type JsonDialect } from '../../http/route.ts'
import { EXAMPLE_ID } from '../../kernel/schemas.ts'
import { GROUP_MEMBERS_MAX } from '../groups.ts'
import { RESULTS_MAX } from './discovery.ts'
import type { ScimGroups } from './groups.ts'
import { PatchBody } from './patch.ts'
import { scimErrorBody } from './scim-error.ts'
import type { ScimUsers } from './users.ts'

export interface ScimServices {
  scimUsers: ScimUsers
  scimGroups: ScimGroups
  publicUrl: () => string
}

const dialect: JsonDialect = { contentType: 'application/scim+json', errorBody: scimErrorBody }
export const shared = { tag: 'SCIM', access: { surface: 'scim' }, dialect } as const

const example = (value: object) => ({ example: value })
/** RFC 7643 defines its content; unknown attributes are ignored. */
export const User = z.looseObject({}).meta({
  id: 'ScimUser',
  description: 'A SCIM user.',
  ...example({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'ada@example.com',
    active: true,
    emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  }),
})
export const ScimGroupBody = z.looseObject({}).meta({
  id: 'ScimGroup',
  description: 'A SCIM group.',
  ...example({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Finance',
    members: [{ value: EXAMPLE_ID.user }],
  }),
})
export const ScimPatchBody = PatchBody.meta({
  id: 'ScimPatch',
  description: 'Changes to a user or group.',
  ...example({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  }),
})
export const List = z.looseObject({}).meta({ id: 'ScimList', description: 'A part of a list.' })
export const Description = z
  .looseObject({})
  .meta({ id: 'ScimDescription', description: 'The supported parts of SCIM.' })

export const reading = (name: string) => ({
  limits: { entriesMax: GROUP_MEMBERS_MAX + 10, entryValuesMax: 40_000, fieldValuesMax: 40_000 },
  schema: { module: import.meta.url, name },
})

const attributes = z.string().max(1_000).optional().describe('Attributes to return.')
export const ListQuery = z.strictObject({
  filter: z.string().max(1_000).optional().meta({
    description: 'One comparison: `attribute eq "value"`.',
    example: 'userName eq "ada@example.com"',
  }),
  startIndex: z.coerce.number().int().default(1).describe('The first result, from 1.'),
  count: z.coerce.number().int().default(100).describe('Maximum number of results, up to 200.'),
  attributes,
  excludedAttributes: attributes.describe('Attributes to omit, such as `members`.'),
  sortBy: z.string().max(100).optional().describe('Not supported; ignored.'),
  sortOrder: z.string().max(100).optional().describe('Not supported; ignored.'),
})
export const OneQuery = ListQuery.pick({ attributes: true, excludedAttributes: true })

export function rangeOf({ startIndex, count }: z.output<typeof ListQuery>) {
  return { startIndex: Math.max(1, startIndex), count: Math.min(RESULTS_MAX, Math.max(0, count)) }
}

export const define = defineRoute<ScimServices>()
