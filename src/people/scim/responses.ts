import { GROUP_SCHEMA } from './group-shape.ts'
import type { ScimGroup } from './groups.ts'
import { USER_SCHEMA } from './user-shape.ts'
import type { Person } from './users.ts'

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

export function userResponse({ id, attributes, createdAt, updatedAt }: Person) {
  return {
    schemas: [USER_SCHEMA],
    id,
    ...attributes,
    meta: metaOf('User', id, createdAt, updatedAt),
  }
}

/** Has `members` only when they were requested. */
export function groupResponse({ id, displayName, externalId, members, createdAt, updatedAt }: ScimGroup) {
  return {
    schemas: [GROUP_SCHEMA],
    id,
    displayName,
    ...(externalId === null ? {} : { externalId }),
    ...(members === null
      ? {}
      : { members: members.map(({ id: value, login }) => ({ value, display: login, type: 'User' })) }),
    meta: metaOf('Group', id, createdAt, updatedAt),
  }
}

function metaOf(resourceType: 'User' | 'Group', id: string, createdAt: Date, updatedAt: Date) {
  return {
    resourceType,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: `/scim/v2/${resourceType}s/${id}`,
  }
}

/** RFC 7644, section 3.4.2. */
export function listResponse<Resource>(resources: readonly Resource[], total: number, startIndex: number) {
  return {
    schemas: [LIST_SCHEMA],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  }
}
