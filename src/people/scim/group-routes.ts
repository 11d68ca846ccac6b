import { z } from 'zod'
import { reply } from '../../http/route.ts'
import { EXAMPLE_ID, idOf } from '../../kernel/schemas.ts'
import { groupResponse, listResponse, selected } from './responses.ts'
import { parseFilter } from './filter.ts'
import { readScimGroup } from './group-shape.ts'
import { groupChangesOf } from './patch-group.ts'
import { stepsOf } from './patch.ts'
import {
  define,
  List,
  ListQuery,
  OneQuery,
  reading,
  ScimGroupBody,
  ScimPatchBody,
  shared,
  rangeOf,
} from './route-shapes.ts'

const GROUP_BYTES_MAX = 2 * 1024 * 1024
const GROUP_FILTERS = ['displayName', 'externalId', 'id']
const groupId = z.object({ id: idOf("The group's ID.", EXAMPLE_ID.source) })

export const scimGroupRoutes = [
  define({
    ...shared,
    operationId: 'scimListGroups',
    method: 'GET',
    path: '/scim/v2/Groups',
    summary: 'List groups, oldest first',
    audit: 'none',
    query: ListQuery,
    responses: { 200: List },
    handle: async ({ caller, query }, { scimGroups, publicUrl }) => {
      const filter = query.filter === undefined ? null : parseFilter(query.filter, GROUP_FILTERS)
      const range = { ...rangeOf(query), withMembers: 'members' in selected({ members: [] }, query) }
      const { total, groups } = await scimGroups.list(caller.organizationId, filter, range)
      const shown = groups.map((group) => selected(groupResponse(group, publicUrl()), query))
      return reply(200, listResponse(shown, total, range.startIndex))
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
    handle: async ({ caller, body }, { scimGroups, publicUrl }) => {
      const answer = groupResponse(await scimGroups.create(caller, readScimGroup(body)), publicUrl())
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
    handle: async ({ caller, params, query }, { scimGroups, publicUrl }) => {
      const group = await scimGroups.get(caller.organizationId, params.id)
      return reply(200, selected(groupResponse(group, publicUrl()), query))
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
    handle: async ({ caller, params, body }, { scimGroups, publicUrl }) => {
      const group = await scimGroups.replace(caller, params.id, readScimGroup(body))
      return reply(200, groupResponse(group, publicUrl()))
    },
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
    handle: async ({ caller, params, body }, { scimGroups, publicUrl }) => {
      const group = await scimGroups.patch(caller, params.id, groupChangesOf(stepsOf(body)))
      return reply(200, groupResponse(group, publicUrl()))
    },
  }),
  define({
    ...shared,
    operationId: 'scimDeleteGroup',
    method: 'DELETE',
    path: '/scim/v2/Groups/{id}',
    summary: 'Delete a group',
    audit: 'group.delete',
    params: groupId,
    responses: {},
    handle: async ({ caller, params }, { scimGroups }) => {
      await scimGroups.remove(caller, params.id)
      return { empty: true }
    },
  }),
]
