import { useMutation, useQuery } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'

export type ModelKind = 'language' | 'embedding'
export type ModelSetting = Schemas['ModelSetting']

/** The models of this deployment. Admins only. */
export function useModels() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'models'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/console/models', { signal })),
  })
}

export function useTestModel(kind: ModelKind) {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: async () => (await unwrap(api.POST('/v1/console/models/test', { body: { kind } }))).test,
  })
}
