import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The workspace's plan and credits. Admins only. */
export function useBilling() {
  const { api, organization, isAdmin } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'billing'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/console/billing', { signal })),
    enabled: isAdmin,
  })
}

/** Charges of the current period by day, caller and surface. Admins only. */
export function useUsage() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'usage'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/console/usage', { signal })),
  })
}

/** Newest first. Admins only. */
export function useInvoices() {
  const { api, organization } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'billing', 'invoices'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/billing/invoices', { signal }))).invoices,
  })
}
