import { type Html, html, page } from '../http/page.ts'

/**
 * The page after checkout or the portal when the console is not installed. It shows only known words from its URL.
 */
export function billingPage({ checkout }: { checkout?: unknown }): Html {
  if (checkout === 'done') {
    return page(
      'Your plan is on its way',
      html`<p>
        Your plan is active once the payment is confirmed, usually within seconds. You can close this page.
      </p>`,
    )
  }
  if (checkout === 'canceled') {
    return page(
      'Nothing was bought',
      html`<p>No card was charged. You can close this page or try again at any time.</p>`,
    )
  }
  return page(
    'Billing',
    html`<p>Your changes apply once the payment processor confirms them. You can close this page.</p>`,
  )
}
