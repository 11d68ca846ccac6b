import { GROUP_SCHEMA } from './group-shape.ts'
import type { ScimGroup } from './read-groups.ts'
import { CORE_SCHEMA } from './patch.ts'
import { USER_SCHEMA } from './user-shape.ts'
import type { Person } from './users.ts'

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** `publicUrl`: the base of its location. */
export function userResponse({ id, attributes, createdAt, updatedAt }: Person, publicUrl: string) {
  return {
    schemas: [USER_SCHEMA],
    id,
    ...attributes,
    meta: metaOf('User', { id, createdAt, updatedAt }, publicUrl),
  }
}

/** Has `members` only when they were requested. */
export function groupResponse(
  { id, displayName, externalId, members, createdAt, updatedAt }: ScimGroup,
  publicUrl: string,
) {
  return {
    schemas: [GROUP_SCHEMA],
    id,
    displayName,
    ...(externalId === null ? {} : { externalId }),
    ...(members === null
      ? {}
      : { members: members.map(({ id: value, login }) => ({ value, display: login, type: 'User' })) }),
    meta: metaOf('Group', { id, createdAt, updatedAt }, publicUrl),
  }
}

function metaOf(
  resourceType: 'User' | 'Group',
  { id, createdAt, updatedAt }: Pick<Person, 'id' | 'createdAt' | 'updatedAt'>,
  publicUrl: string,
) {
  return {
    resourceType,
    created: createdAt.toISOString(),
    lastModified: updatedAt.toISOString(),
    location: `${publicUrl}/scim/v2/${resourceType}s/${id}`,
  }
}

/** A constant resource, with its location as a whole address. */
export function located<R extends { meta: { location: string } }>(resource: R, publicUrl: string): R {
  return { ...resource, meta: { ...resource.meta, location: `${publicUrl}${resource.meta.location}` } }
}

const ALWAYS = new Set(['schemas', 'id'])

/** Only the attributes that a query selects (RFC 7644, section 3.9); one of a part selects the whole attribute. */
export function selected(
  resource: object,
  {
    attributes,
    excludedAttributes,
  }: { attributes?: string | undefined; excludedAttributes?: string | undefined },
): Record<string, unknown> {
  const included = attributes === undefined ? null : new Set(namesOf(attributes).map(wholeOf))
  const excluded = new Set(namesOf(excludedAttributes ?? ''))
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      const folded = name.toLowerCase()
      return ALWAYS.has(name) || ((included?.has(folded) ?? true) && !excluded.has(folded))
    }),
  )
}

/** Lowercase, without the schema. */
function namesOf(list: string): string[] {
  return list.split(',').map((name) => name.trim().replace(CORE_SCHEMA, '').toLowerCase())
}

const wholeOf = (name: string): string => name.replace(/\..*/, '')

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
