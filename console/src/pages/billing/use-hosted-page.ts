import { type Schemas, unwrap } from '../../api/client.ts'
import { useChange } from '../../data/use-api.ts'

const open = ({ url }: { url: string }): void => globalThis.location.assign(url)

/** Starts a checkout and redirects to the payment processor. */
export function useCheckout() {
  return useChange(
    (api, body: Schemas['Checkout']) => unwrap(api.POST('/v1/console/billing/checkout', { body })),
    open,
  )
}

/** Redirects to the payment processor's portal, for cards, invoices, and to change or cancel a plan. */
export function usePortal() {
  return useChange((api) => unwrap(api.POST('/v1/console/billing/portal')), open)
}
