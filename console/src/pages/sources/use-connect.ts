import { useMutation, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { hasChannels, type ProviderId } from '../../api/provider-list.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useRefreshStored } from './use-sources.ts'

/** Redirects to the provider to connect or reconnect an account. `allowFirst`: grants access to the provider first. */
export function useConnect(provider: ProviderId, { allowFirst = false } = {}) {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: async () => {
      const params = { path: { provider } }
      if (allowFirst) await unwrap(api.POST('/v1/console/connector-access/{provider}/grant', { params }))
      const query = { firstSync: hasChannels(provider) ? ('after_choice' as const) : ('now' as const) }
      const { url } = await unwrap(
        api.POST('/v1/console/connectors/{provider}/authorize', { params: { ...params, query } }),
      )
      globalThis.location.assign(url)
    },
  })
}

/** Connects an account with the values of the provider's form. Returns the source's ID. */
export function useConnectByForm(provider: ProviderId, { allowFirst = false } = {}) {
  const { api } = useWorkspace()
  const refresh = useRefreshStored()
  return useMutation<string, ApiError, Readonly<Record<string, string>>>({
    mutationFn: async (fields) => {
      const params = { path: { provider } }
      if (allowFirst) await unwrap(api.POST('/v1/console/connector-access/{provider}/grant', { params }))
      const body = { fields: { ...fields } }
      return (await unwrap(api.POST('/v1/console/connectors/{provider}/connect', { params, body })))
        .connectorId
    },
    onSuccess: refresh,
  })
}

/** Requests access to a provider that the operator has to approve. */
export function useAskForAccess(provider: ProviderId) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () =>
      (await unwrap(api.POST('/v1/console/connector-access', { body: { provider } }))).request,
    onSettled: () => queries.invalidateQueries({ queryKey: [organization.id, 'connectors'] }),
  })
}
