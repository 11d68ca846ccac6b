import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange, useRead } from '../../data/use-api.ts'

export type ModelKind = 'language' | 'embedding'
export type ModelSetting = Schemas['ModelSetting']

/** The models of this deployment. Admins only. */
export function useModels() {
  return useRead(['models'], (api, signal) => unwrap(api.GET('/v1/console/models', { signal })))
}

export function useTestModel(kind: ModelKind) {
  return useChange(
    async (api) => (await unwrap(api.POST('/v1/console/models/test', { body: { kind } }))).test,
  )
}
