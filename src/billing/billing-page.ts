import { type Html, html, page } from '../http/page.ts'

/**
 * The page a person comes back to from a checkout or the portal where the console is not there. It shows nothing of the address
 * but known words.
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
