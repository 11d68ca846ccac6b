import { z } from 'zod'
import { reply } from '../../http/route.ts'
import { EXAMPLE_ID, idOf } from '../../kernel/schemas.ts'
import { listResponse, selected, userResponse } from './responses.ts'
import { parseFilter } from './filter.ts'
import { stepsOf } from './patch.ts'
import { define, List, ListQuery, OneQuery, ScimPatchBody, shared, rangeOf, User } from './route-shapes.ts'
import { readUser } from './user-shape.ts'

const USER_FILTERS = ['userName', 'externalId', 'displayName', 'emails.value', 'emails', 'id']
const userId = z.object({ id: idOf("The user's ID.", EXAMPLE_ID.user) })

export const scimUserRoutes = [
  define({
    ...shared,
    operationId: 'scimListUsers',
    method: 'GET',
    path: '/scim/v2/Users',
    summary: 'List users, oldest first',
    audit: 'none',
    query: ListQuery,
    responses: { 200: List },
    handle: async ({ caller, query }, { scimUsers, publicUrl }) => {
      const filter = query.filter === undefined ? null : parseFilter(query.filter, USER_FILTERS)
      const range = rangeOf(query)
      const { total, people } = await scimUsers.list(caller.organizationId, filter, range)
      const users = people.map((person) => selected(userResponse(person, publicUrl()), query))
      return reply(200, listResponse(users, total, range.startIndex))
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
    handle: async ({ caller, body }, { scimUsers, publicUrl }) => {
      const answer = userResponse(await scimUsers.create(caller, readUser(body)), publicUrl())
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
    handle: async ({ caller, params, query }, { scimUsers, publicUrl }) => {
      const person = await scimUsers.get(caller.organizationId, params.id)
      return reply(200, selected(userResponse(person, publicUrl()), query))
    },
  }),
  define({
    ...shared,
    operationId: 'scimReplaceUser',
    method: 'PUT',
    path: '/scim/v2/Users/{id}',
    summary: 'Replace a user',
    description: 'An inactive user loses access to the console and to items with this request.',
    audit: 'person.update',
    params: userId,
    body: User,
    refuses: ['person_exists'],
    responses: { 200: User },
    handle: async ({ caller, params, body }, { scimUsers, publicUrl }) => {
      const person = await scimUsers.replace(caller, params.id, readUser(body))
      return reply(200, userResponse(person, publicUrl()))
    },
  }),
  define({
    ...shared,
    operationId: 'scimPatchUser',
    method: 'PATCH',
    path: '/scim/v2/Users/{id}',
    summary: 'Change a user',
    description: 'An inactive user loses access to the console and to items with this request.',
    audit: 'person.update',
    params: userId,
    body: ScimPatchBody,
    refuses: ['person_exists'],
    responses: { 200: User },
    handle: async ({ caller, params, body }, { scimUsers, publicUrl }) => {
      const person = await scimUsers.patch(caller, params.id, stepsOf(body))
      return reply(200, userResponse(person, publicUrl()))
    },
  }),
  define({
    ...shared,
    operationId: 'scimDeleteUser',
    method: 'DELETE',
    path: '/scim/v2/Users/{id}',
    summary: 'Delete a user',
    description:
      'The user loses access to the console and to items with this request, and leaves every group.',
    audit: 'person.delete',
    params: userId,
    responses: {},
    handle: async ({ caller, params }, { scimUsers }) => {
      await scimUsers.remove(caller, params.id)
      return { empty: true }
    },
  }),
]
