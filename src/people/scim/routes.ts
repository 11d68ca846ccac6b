import { z } from 'zod'
import { reply } from '../../http/route.ts'
import { AppError } from '../../kernel/errors.ts'
import { listResponse, located } from './responses.ts'
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG } from './discovery.ts'
import { scimGroupRoutes } from './group-routes.ts'
import { define, Description, shared } from './route-shapes.ts'
import { scimUserRoutes } from './user-routes.ts'

/** A route that describes the service; its response is always the same. */
const described = (
  operationId: string,
  path: string,
  summary: string,
  bodyAt: (publicUrl: string) => Record<string, unknown>,
) =>
  define({
    ...shared,
    operationId,
    method: 'GET',
    path: `/scim/v2/${path}`,
    summary,
    audit: 'none',
    responses: { 200: Description },
    handle: async (_request, { publicUrl }) => reply(200, bodyAt(publicUrl())),
  })

interface Listed {
  id: string
  meta: { location: string }
}

const oneOf = (operationId: string, path: string, summary: string, list: readonly Listed[]) =>
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
        .meta({ description: 'The ID.', example: list[0]?.id ?? '' }),
    }),
    responses: { 200: Description },
    handle: async ({ params }, { publicUrl }) => {
      const found = list.find(({ id }) => id === params.name)
      if (!found) throw new AppError('not_found', 'There is no such resource')
      return reply(200, { ...located(found, publicUrl()) })
    },
  })

const listOf = (list: readonly Listed[]) => (publicUrl: string) =>
  listResponse(
    list.map((one) => located(one, publicUrl)),
    list.length,
    1,
  )

export const scimRoutes = [
  described('scimConfig', 'ServiceProviderConfig', 'The supported SCIM features', (publicUrl) =>
    located(SERVICE_PROVIDER_CONFIG, publicUrl),
  ),
  described('scimResourceTypes', 'ResourceTypes', 'The kinds of resources', listOf(RESOURCE_TYPES)),
  oneOf('scimResourceType', 'ResourceTypes', 'One kind of resources', RESOURCE_TYPES),
  described('scimSchemas', 'Schemas', 'The attributes of resources', listOf(SCHEMAS)),
  oneOf('scimSchema', 'Schemas', 'The attributes of one kind of resources', SCHEMAS),
  ...scimUserRoutes,
  ...scimGroupRoutes,
]
