import type { FastifyInstance } from 'fastify'
import { type Html, html, page, sendPage } from '../http/page.ts'

/** Serves the page that the payment processor's pages lead back to. */
export function addBillingPage(server: FastifyInstance): void {
  server.get<{ Querystring: Record<string, unknown> }>('/console/billing', async (request, reply) =>
    sendPage(reply, 200, billingPage(request.query)),
  )
}

/** The page a person comes back to from a checkout or the portal. It shows nothing of the address but known words. */
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
