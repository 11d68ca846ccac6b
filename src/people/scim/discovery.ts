import { GROUP_SCHEMA } from './group-shape.ts'
import { USER_SCHEMA } from './user-shape.ts'

export const RESULTS_MAX = 200

/** RFC 7643, section 5. */
export const SERVICE_PROVIDER_CONFIG = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: RESULTS_MAX },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the workspace, created in the console.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: '/scim/v2/ServiceProviderConfig' },
}

const resourceType = (name: 'User' | 'Group', schema: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint: `/${name}s`,
  schema,
  meta: { resourceType: 'ResourceType', location: `/scim/v2/ResourceTypes/${name}` },
})

export const RESOURCE_TYPES = [resourceType('User', USER_SCHEMA), resourceType('Group', GROUP_SCHEMA)]

interface Attribute {
  name: string
  type: 'string' | 'boolean' | 'complex'
  multiValued: boolean
  required: boolean
  caseExact: boolean
  mutability: 'readWrite' | 'immutable'
  returned: 'default'
  uniqueness: 'none' | 'server'
  subAttributes?: Attribute[]
}

const attribute = (name: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})

const schema = (id: string, name: string, attributes: Attribute[]) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  attributes,
  meta: { resourceType: 'Schema', location: `/scim/v2/Schemas/${id}` },
})

/** The attributes that are stored and returned; others are ignored. */
export const SCHEMAS = [
  schema(USER_SCHEMA, 'User', [
    attribute('userName', { required: true, uniqueness: 'server' }),
    attribute('externalId', { caseExact: true }),
    attribute('displayName'),
    attribute('name', {
      type: 'complex',
      subAttributes: [attribute('formatted'), attribute('givenName'), attribute('familyName')],
    }),
    attribute('emails', {
      type: 'complex',
      multiValued: true,
      subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
    }),
    attribute('active', { type: 'boolean' }),
  ]),
  schema(GROUP_SCHEMA, 'Group', [
    attribute('displayName', { required: true, uniqueness: 'server' }),
    attribute('externalId', { caseExact: true }),
    attribute('members', {
      type: 'complex',
      multiValued: true,
      subAttributes: [attribute('value', { mutability: 'immutable' }), attribute('display')],
    }),
  ]),
]
