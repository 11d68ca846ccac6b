import { useMutation, useQueryClient } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import { hasChannels, type ProviderId } from '../../api/provider-list.ts'
import { useChange } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useRefreshStored } from './use-sources.ts'

/** Redirects to the provider to connect or reconnect an account. `allowFirst`: grants access to the provider first. */
export function useConnect(provider: ProviderId, { allowFirst = false } = {}) {
  return useChange(
    async (api) => {
      const params = { path: { provider } }
      if (allowFirst) await unwrap(api.POST('/v1/console/connector-access/{provider}/grant', { params }))
      const query = { firstSync: hasChannels(provider) ? ('after_choice' as const) : ('now' as const) }
      return await unwrap(
        api.POST('/v1/console/connectors/{provider}/authorize', { params: { ...params, query } }),
      )
    },
    ({ url }) => globalThis.location.assign(url),
  )
}

/** Connects an account with the values of the provider's form. Returns the source's ID. */
export function useConnectByForm(provider: ProviderId, { allowFirst = false } = {}) {
  return useChange(async (api, fields: Readonly<Record<string, string>>) => {
    const params = { path: { provider } }
    if (allowFirst) await unwrap(api.POST('/v1/console/connector-access/{provider}/grant', { params }))
    const body = { fields: { ...fields } }
    return (await unwrap(api.POST('/v1/console/connectors/{provider}/connect', { params, body }))).connectorId
  }, useRefreshStored())
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
