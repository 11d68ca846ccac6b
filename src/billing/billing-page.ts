import { type Html, html, page } from '../http/page.ts'

/**
 * The page after checkout or the portal when the console is not installed. It shows only known words from its URL.
 */
export function billingPage({ checkout }: { checkout?: unknown }): Html {
  if (checkout === 'done') {
    return page(
      'Your plan is on its way',
      html`<p>
        It is set as soon as the payment processor has confirmed it, mostly within seconds. You can close this
        page.
      </p>`,
    )
  }
  if (checkout === 'canceled') {
    return page(
      'Nothing was bought',
      html`<p>No card was charged. You can close this page, or begin again whenever you like.</p>`,
    )
  }
  return page(
    'Billing',
    html`<p>
      What you changed is set as soon as the payment processor has confirmed it. You can close this page.
    </p>`,
  )
}
