import { useMutation, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type ScimToken = Schemas['ScimToken']

export function useScimTokens() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'scim-tokens'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/scim-tokens', { signal }))).scimTokens,
  })
}

/** Creates a SCIM token. Only this response contains its secret. */
export function useCreateScimToken() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (name: string) => unwrap(api.POST('/v1/console/scim-tokens', { body: { name } })),
    onSuccess: () => refetch('scim-tokens', 'audit-events'),
  })
}

export function useRevokeScimToken() {
  const { api } = useWorkspace()
  const refetch = useRefetch()
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/v1/console/scim-tokens/{id}', { params: { path: { id } } })),
    onSuccess: () => refetch('scim-tokens', 'audit-events'),
  })
}
