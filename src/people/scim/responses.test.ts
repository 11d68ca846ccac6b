import { expect, it } from 'vitest'
import { selected, userResponse } from './responses.ts'
import { readUser } from './user-shape.ts'

const PERSON = {
  id: '5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60',
  attributes: readUser({ userName: 'ada@example.com', displayName: 'Ada' }),
  createdAt: new Date(0),
  updatedAt: new Date(0),
}
const USER = userResponse(PERSON, 'http://127.0.0.1:8787')

it.each<[object, string[]]>([
  [{}, ['active', 'displayName', 'emails', 'meta', 'userName']],
  [{ attributes: 'userName' }, ['userName']],
  [{ attributes: 'USERNAME, emails.value' }, ['emails', 'userName']],
  [{ attributes: 'urn:ietf:params:scim:schemas:core:2.0:User:active' }, ['active']],
  [{ attributes: 'nickName' }, []],
  [{ excludedAttributes: 'emails,displayName,Meta' }, ['active', 'userName']],
  [{ excludedAttributes: 'id,schemas,emails' }, ['active', 'displayName', 'meta', 'userName']],
])('selects the attributes of %j, beside those that are always returned', (query, names) => {
  const present = Object.entries(selected(USER, query)).filter(([, value]) => value !== undefined)
  expect(present.map(([name]) => name).toSorted()).toEqual(['id', 'schemas', ...names].toSorted())
})
