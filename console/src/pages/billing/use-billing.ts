import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The workspace's plan and credits. Admins only. */
export function useBilling() {
  const { isAdmin } = useWorkspace()
  return useRead(['billing'], (api, signal) => unwrap(api.GET('/v1/console/billing', { signal })), {
    enabled: isAdmin,
  })
}

/** Charges of the current period by day, caller and surface. Admins only. */
export function useUsage() {
  return useRead(['usage'], (api, signal) => unwrap(api.GET('/v1/console/usage', { signal })))
}

/** Newest first. Admins only. */
export function useInvoices() {
  return useRead(
    ['billing', 'invoices'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/billing/invoices', { signal }))).invoices,
  )
}
