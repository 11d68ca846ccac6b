import { z } from 'zod'
import { reply } from '../../http/route.ts'
import { AppError } from '../../kernel/errors.ts'
import { listResponse } from './responses.ts'
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG } from './discovery.ts'
import { scimGroupRoutes } from './group-routes.ts'
import { define, Description, shared } from './route-shapes.ts'
import { scimUserRoutes } from './user-routes.ts'

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

const listOf = (list: readonly object[]) => listResponse(list, list.length, 1)

export const scimRoutes = [
  described('scimConfig', 'ServiceProviderConfig', 'The supported SCIM features', SERVICE_PROVIDER_CONFIG),
  described('scimResourceTypes', 'ResourceTypes', 'The kinds of resources', listOf(RESOURCE_TYPES)),
  oneOf('scimResourceType', 'ResourceTypes', 'One kind of resources', RESOURCE_TYPES),
  described('scimSchemas', 'Schemas', 'The attributes of resources', listOf(SCHEMAS)),
  oneOf('scimSchema', 'Schemas', 'The attributes of one kind of resources', SCHEMAS),
  ...scimUserRoutes,
  ...scimGroupRoutes,
]
