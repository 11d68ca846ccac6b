import { useMutation } from '@tanstack/react-query'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** Starts a checkout and redirects to the payment processor. */
export function useCheckout() {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: (body: Schemas['Checkout']) => unwrap(api.POST('/v1/console/billing/checkout', { body })),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  })
}

/** Redirects to the payment processor's portal, for cards, invoices, and to change or cancel a plan. */
export function usePortal() {
  const { api } = useWorkspace()
  return useMutation({
    mutationFn: () => unwrap(api.POST('/v1/console/billing/portal')),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  })
}
