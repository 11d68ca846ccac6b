import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead } from '../../data/use-api.ts'

export type ScimToken = Schemas['ScimToken']

export function useScimTokens() {
  return useRead(
    ['scim-tokens'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/scim-tokens', { signal }))).scimTokens,
  )
}

/** Creates a SCIM token. Only this response contains its secret. */
export function useCreateScimToken() {
  return useChange(
    (api, name: string) => unwrap(api.POST('/v1/console/scim-tokens', { body: { name } })),
    ['scim-tokens', 'audit-events'],
  )
}

export function useRevokeScimToken() {
  return useChange(
    (api, id: string) => unwrap(api.DELETE('/v1/console/scim-tokens/{id}', { params: { path: { id } } })),
    ['scim-tokens', 'audit-events'],
  )
}
