import { z } from 'zod'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { label, moment, nextCursor, pageCursor, personsEmail } from '../kernel/schemas.ts'
import { GROUP_MEMBERS_MAX, type Groups, isGroupId } from './groups.ts'
import { EXAMPLE_GROUP, MEMBERS, Group } from './schemas.ts'

export interface GroupServices {
  groups: Groups
}

const GROUP_BYTES_MAX = 1024 * 1024

export const GroupBody = z
  .strictObject({
    name: label.optional().meta({
      description: 'Display name. Default: unchanged.',
      example: 'Finance',
    }),
    members: z
      .array(personsEmail)
      .max(GROUP_MEMBERS_MAX)
      .meta({ description: 'Addresses of all members.', example: MEMBERS }),
  })
  .meta({ id: 'NewGroup', description: 'A group with all its members.' })

/** A large body is checked off the event loop, with the schema above. */
const groupBody = {
  limits: { entriesMax: GROUP_MEMBERS_MAX, entryValuesMax: 1, fieldValuesMax: 1 },
  schema: { module: import.meta.url, name: 'GroupBody' },
}

const groupParams = z.object({
  groupId: z.string().refine(isGroupId).meta({
    description: "The group's ID, as access policies name it: 1 to 256 characters.",
    example: EXAMPLE_GROUP,
  }),
})

const shared = { tag: 'Groups', action: 'admin', consoleRole: 'admin' } as const

export const groupRoutes = [
  ...twins<GroupServices>()({
    ...shared,
    operationId: 'listGroups',
    method: 'GET',
    path: '/groups',
    summary: 'List groups, newest first',
    description: 'Repeat with `nextCursor` until it is null.',
    audit: 'none',
    query: z.strictObject({
      cursor: pageCursor,
      limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of groups.'),
    }),
    responses: {
      200: z.object({
        groups: z.array(Group).describe('The groups.'),
        nextCursor,
      }),
    },
    handle: async ({ caller, query }, { groups }) =>
      reply(200, await groups.list(caller.organizationId, query)),
  }),
  ...twins<GroupServices>()({
    ...shared,
    operationId: 'getGroup',
    method: 'GET',
    path: '/groups/{groupId}',
    summary: 'Get a group with all its members',
    audit: 'none',
    params: groupParams,
    responses: { 200: z.object({ group: Group }) },
    handle: async ({ caller, params }, { groups }) =>
      reply(200, { group: await groups.get(caller.organizationId, params.groupId) }),
  }),
  ...twins<GroupServices>()({
    ...shared,
    reach: null,
    operationId: 'putGroup',
    method: 'PUT',
    path: '/groups/{groupId}',
    summary: 'Create or replace a group',
    description:
      'Access policies name the group by this ID. The members replace the previous ones; the change takes effect with the next request.',
    audit: 'group.update',
    bodyBytesMax: GROUP_BYTES_MAX,
    params: groupParams,
    body: GroupBody,
    reading: groupBody,
    refuses: ['provider_not_allowed', 'group_limit_reached', 'group_provisioned', 'overloaded'],
    responses: { 200: z.object({ group: Group }) },
    handle: async ({ caller, params, body }, { groups }) =>
      reply(200, { group: await groups.put(caller, params.groupId, body) }),
  }),
  ...twins<GroupServices>()({
    ...shared,
    reach: null,
    operationId: 'deleteGroup',
    method: 'DELETE',
    path: '/groups/{groupId}',
    summary: 'Delete a group',
    description: 'From the next request on, members cannot read items that only the group could read.',
    audit: 'group.delete',
    params: groupParams,
    refuses: ['provider_not_allowed', 'group_provisioned'],
    responses: { 200: z.object({ group: Group, deletedAt: moment('Time of the deletion.') }) },
    handle: async ({ caller, params }, { groups }) => reply(200, await groups.remove(caller, params.groupId)),
  }),
]
