import type { EmulatorReply } from '../../kit/server.ts'
import type { Account, Invoice } from '../account.ts'
import { authenticationForm } from './authentication-form.ts'
import { html } from './html.ts'
import { moment, pageReply } from './layout.ts'
import { linesTable } from './portal-page.ts'

export function invoicePage(account: Account, invoice: Invoice): EmulatorReply {
  const who = account.customers.get(invoice.customer)?.email ?? invoice.customer
  const retry = invoice.next_payment_attempt
  const body = html`<h1>Invoice ${invoice.number ?? '(draft)'}</h1>
    <section>
      <p class="row spread"><span>${who}</span><span class="tag">${invoice.status}</span></p>
      <p class="soft">${moment(invoice.period_start)} to ${moment(invoice.period_end)}</p>
      ${linesTable(invoice)}
      ${retry === null ? html`` : html`<p class="soft">The next attempt to charge the card is on ${moment(retry)}.</p>`}
    </section>
    ${account.unauthenticated.has(invoice.id) ? authenticationForm(`/invoice/${invoice.id}/authenticate`) : html``}`
  return pageReply('Invoice', body)
}
