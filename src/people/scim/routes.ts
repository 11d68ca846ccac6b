import { z } from 'zod'
import type { JsonDialect } from '../../http/json-dialect.ts'
import { defineRoute, reply } from '../../http/route.ts'
import { AppError } from '../../kernel/errors.ts'
import { EXAMPLE_ID, idOf } from '../../kernel/schemas.ts'
import { GROUP_MEMBERS_MAX } from '../groups.ts'
import { groupAnswer, listAnswer, userAnswer } from './answers.ts'
import { RESOURCE_TYPES, RESULTS_MAX, SCHEMAS, SERVICE_PROVIDER_CONFIG } from './discovery.ts'
import { parseFilter } from './filter.ts'
import { readScimGroup } from './group-shape.ts'
import type { ScimGroups } from './groups.ts'
import { groupChangesOf } from './patch-group.ts'
import { PatchBody, stepsOf } from './patch.ts'
import { scimErrorBody } from './scim-error.ts'
import { readUser } from './user-shape.ts'
import type { ScimUsers } from './users.ts'

export interface ScimServices {
  scimUsers: ScimUsers
  scimGroups: ScimGroups
}

const dialect: JsonDialect = { contentType: 'application/scim+json', errorBody: scimErrorBody }
const shared = { tag: 'SCIM', access: { surface: 'scim' }, credits: 0, dialect } as const

const GROUP_BYTES_MAX = 2 * 1024 * 1024
const USER_FILTERS = ['userName', 'externalId', 'displayName', 'emails.value', 'emails', 'id']
const GROUP_FILTERS = ['displayName', 'externalId', 'id']

const example = (value: object) => ({ example: value })
/** RFC 7643 says what it holds; attributes that are not known are passed over. */
const User = z.looseObject({}).meta({
  id: 'ScimUser',
  description: 'A user of SCIM.',
  ...example({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'ada@example.com',
    active: true,
    emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  }),
})
export const ScimGroupBody = z.looseObject({}).meta({
  id: 'ScimGroup',
  description: 'A group of SCIM.',
  ...example({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Finance',
    members: [{ value: EXAMPLE_ID.user }],
  }),
})
export const ScimPatchBody = PatchBody.meta({
  id: 'ScimPatch',
  description: 'Changes of a user or group.',
  ...example({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  }),
})
const List = z.looseObject({}).meta({ id: 'ScimList', description: 'A part of a list.' })
const Description = z
  .looseObject({})
  .meta({ id: 'ScimDescription', description: 'What the service knows of SCIM.' })

const reading = (name: string) => ({
  limits: { entriesMax: GROUP_MEMBERS_MAX + 10, entryValuesMax: 40_000, fieldValuesMax: 40_000 },
  schema: { module: import.meta.url, name },
})

const userId = z.object({ id: idOf("The user's id.", EXAMPLE_ID.user) })
const groupId = z.object({ id: idOf("The group's id.", EXAMPLE_ID.source) })

const attributes = z.string().max(1_000).optional().describe('Attributes to answer with.')
const ListQuery = z.strictObject({
  filter: z.string().max(1_000).optional().meta({
    description: 'One comparison: `attribute eq "value"`.',
    example: 'userName eq "ada@example.com"',
  }),
  startIndex: z.coerce.number().int().default(1).describe('The first result, from 1.'),
  count: z.coerce.number().int().default(100).describe('How many results at most, up to 200.'),
  attributes,
  excludedAttributes: attributes.describe('Attributes to leave out: `members` spares reading them.'),
  sortBy: z.string().max(100).optional().describe('Not supported; ignored.'),
  sortOrder: z.string().max(100).optional().describe('Not supported; ignored.'),
})
const OneQuery = ListQuery.pick({ attributes: true, excludedAttributes: true })

function sliceOf({ startIndex, count }: z.output<typeof ListQuery>) {
  return { startIndex: Math.max(1, startIndex), count: Math.min(RESULTS_MAX, Math.max(0, count)) }
}

const leavesOutMembers = (excluded: string | undefined) =>
  excluded?.split(',').some((name) => name.trim().toLowerCase() === 'members') ?? false

const define = defineRoute<ScimServices>()

/** A route that describes the service; its response is always the same. */
const described = (operationId: string, path: string, summary: string, body: object) =>
  define({
    ...shared,
    operationId,
    method: 'GET',
    path: `/scim/v2/${path}`,
    summary,
    audit: 'none',
    responses: { 200: Description },
    handle: async () => reply(200, { ...body }),
  })

const oneOf = (operationId: string, path: string, summary: string, list: readonly { id: string }[]) =>
  define({
    ...shared,
    operationId,
    method: 'GET',
    path: `/scim/v2/${path}/{name}`,
    summary,
    audit: 'none',
    params: z.object({
      name: z
        .string()
        .max(200)
        .meta({ description: 'Its id.', example: list[0]?.id ?? '' }),
    }),
    responses: { 200: Description },
    handle: async ({ params }) => {
      const found = list.find(({ id }) => id === params.name)
      if (!found) throw new AppError('not_found', 'There is no such resource')
      return reply(200, { ...found })
    },
  })

const listOf = (list: readonly object[]) => listAnswer(list, list.length, 1)

export const scimRoutes = [
  described('scimConfig', 'ServiceProviderConfig', 'What is supported of SCIM', SERVICE_PROVIDER_CONFIG),
  described('scimResourceTypes', 'ResourceTypes', 'The kinds of resources', listOf(RESOURCE_TYPES)),
  oneOf('scimResourceType', 'ResourceTypes', 'One kind of resources', RESOURCE_TYPES),
  described('scimSchemas', 'Schemas', 'The attributes of resources', listOf(SCHEMAS)),
  oneOf('scimSchema', 'Schemas', 'The attributes of one kind of resources', SCHEMAS),
  define({
    ...shared,
    operationId: 'scimListUsers',
    method: 'GET',
    path: '/scim/v2/Users',
    summary: 'List users, oldest first',
    audit: 'none',
    query: ListQuery,
    responses: { 200: List },
    handle: async ({ principal, query }, { scimUsers }) => {
      const filter = query.filter === undefined ? null : parseFilter(query.filter, USER_FILTERS)
      const slice = sliceOf(query)
      const { total, people } = await scimUsers.list(principal.organizationId, filter, slice)
      return reply(200, listAnswer(people.map(userAnswer), total, slice.startIndex))
    },
  }),
  define({
    ...shared,
    operationId: 'scimCreateUser',
    method: 'POST',
    path: '/scim/v2/Users',
    summary: 'Add a user',
    audit: 'person.provision',
    body: User,
    refuses: ['person_exists'],
    responses: { 201: User },
    handle: async ({ principal, body }, { scimUsers }) => {
      const answer = userAnswer(await scimUsers.create(principal, readUser(body)))
      return reply(201, answer, { Location: answer.meta.location })
    },
  }),
  define({
    ...shared,
    operationId: 'scimGetUser',
    method: 'GET',
    path: '/scim/v2/Users/{id}',
    summary: 'Get a user',
    audit: 'none',
    params: userId,
    query: OneQuery,
    responses: { 200: User },
    handle: async ({ principal, params }, { scimUsers }) =>
      reply(200, userAnswer(await scimUsers.get(principal.organizationId, params.id))),
  }),
  define({
    ...shared,
    operationId: 'scimReplaceUser',
    method: 'PUT',
    path: '/scim/v2/Users/{id}',
    summary: 'Replace a user',
    description: 'A user who is not active loses console and reading with this request.',
    audit: 'person.update',
    params: userId,
    body: User,
    refuses: ['person_exists'],
    responses: { 200: User },
    handle: async ({ principal, params, body }, { scimUsers }) =>
      reply(200, userAnswer(await scimUsers.replace(principal, params.id, readUser(body)))),
  }),
  define({
    ...shared,
    operationId: 'scimPatchUser',
    method: 'PATCH',
    path: '/scim/v2/Users/{id}',
    summary: 'Change a user',
    description: 'A user who is not active loses console and reading with this request.',
    audit: 'person.update',
    params: userId,
    body: ScimPatchBody,
    refuses: ['person_exists'],
    responses: { 200: User },
    handle: async ({ principal, params, body }, { scimUsers }) =>
      reply(200, userAnswer(await scimUsers.patch(principal, params.id, stepsOf(body)))),
  }),
  define({
    ...shared,
    operationId: 'scimDeleteUser',
    method: 'DELETE',
    path: '/scim/v2/Users/{id}',
    summary: 'Delete a user',
    description: 'The user loses console and reading with this request, and leaves every group.',
    audit: 'person.delete',
    params: userId,
    answersNothing: true,
    responses: {},
    handle: async ({ principal, params }, { scimUsers }) => {
      await scimUsers.remove(principal, params.id)
      return { empty: true }
    },
  }),
  define({
    ...shared,
    operationId: 'scimListGroups',
    method: 'GET',
    path: '/scim/v2/Groups',
    summary: 'List groups, oldest first',
    audit: 'none',
    query: ListQuery,
    responses: { 200: List },
    handle: async ({ principal, query }, { scimGroups }) => {
      const filter = query.filter === undefined ? null : parseFilter(query.filter, GROUP_FILTERS)
      const slice = { ...sliceOf(query), withMembers: !leavesOutMembers(query.excludedAttributes) }
      const { total, groups } = await scimGroups.list(principal.organizationId, filter, slice)
      return reply(200, listAnswer(groups.map(groupAnswer), total, slice.startIndex))
    },
  }),
  define({
    ...shared,
    operationId: 'scimCreateGroup',
    method: 'POST',
    path: '/scim/v2/Groups',
    summary: 'Add a group',
    description: 'Access policies name the group by its `displayName`.',
    audit: 'group.update',
    bodyBytesMax: GROUP_BYTES_MAX,
    body: ScimGroupBody,
    reading: reading('ScimGroupBody'),
    refuses: ['group_exists', 'group_limit_reached', 'overloaded'],
    responses: { 201: ScimGroupBody },
    handle: async ({ principal, body }, { scimGroups }) => {
      const answer = groupAnswer(await scimGroups.create(principal, readScimGroup(body)))
      return reply(201, answer, { Location: answer.meta.location })
    },
  }),
  define({
    ...shared,
    operationId: 'scimGetGroup',
    method: 'GET',
    path: '/scim/v2/Groups/{id}',
    summary: 'Get a group',
    audit: 'none',
    params: groupId,
    query: OneQuery,
    responses: { 200: ScimGroupBody },
    handle: async ({ principal, params, query }, { scimGroups }) => {
      const group = await scimGroups.get(principal.organizationId, params.id)
      const members = leavesOutMembers(query.excludedAttributes) ? null : group.members
      return reply(200, groupAnswer({ ...group, members }))
    },
  }),
  define({
    ...shared,
    operationId: 'scimReplaceGroup',
    method: 'PUT',
    path: '/scim/v2/Groups/{id}',
    summary: 'Replace a group',
    audit: 'group.update',
    bodyBytesMax: GROUP_BYTES_MAX,
    params: groupId,
    body: ScimGroupBody,
    reading: reading('ScimGroupBody'),
    refuses: ['group_exists', 'overloaded'],
    responses: { 200: ScimGroupBody },
    handle: async ({ principal, params, body }, { scimGroups }) =>
      reply(200, groupAnswer(await scimGroups.replace(principal, params.id, readScimGroup(body)))),
  }),
  define({
    ...shared,
    operationId: 'scimPatchGroup',
    method: 'PATCH',
    path: '/scim/v2/Groups/{id}',
    summary: 'Change a group',
    audit: 'group.update',
    bodyBytesMax: GROUP_BYTES_MAX,
    params: groupId,
    body: ScimPatchBody,
    reading: reading('ScimPatchBody'),
    refuses: ['group_exists', 'overloaded'],
    responses: { 200: ScimGroupBody },
    handle: async ({ principal, params, body }, { scimGroups }) =>
      reply(200, groupAnswer(await scimGroups.patch(principal, params.id, groupChangesOf(stepsOf(body))))),
  }),
  define({
    ...shared,
    operationId: 'scimDeleteGroup',
    method: 'DELETE',
    path: '/scim/v2/Groups/{id}',
    summary: 'Delete a group',
    audit: 'group.delete',
    params: groupId,
    answersNothing: true,
    responses: {},
    handle: async ({ principal, params }, { scimGroups }) => {
      await scimGroups.remove(principal, params.id)
      return { empty: true }
    },
  }),
]
