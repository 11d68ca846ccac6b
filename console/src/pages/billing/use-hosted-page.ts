import { useMutation } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** Begins to buy a plan, and leads to the payment processor's page. */
export function useCheckout() {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: (body: Schemas['Checkout']) => unwrap(api.POST('/v1/console/billing/checkout', { body })),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  })
}

/** Leads to the payment processor's portal: cards, invoices, other plans, the end of one. */
export function usePortal() {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/v1/console/billing/portal')),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  })
}
