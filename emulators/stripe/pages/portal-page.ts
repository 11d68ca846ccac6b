import type { EmulatorReply } from '../../kit/server.ts'
import type Stripe from 'stripe'
import type { Account, Invoice, Price, Subscription } from '../account.ts'
import { cycleOf } from '../catalog.ts'
import { previewInvoice } from '../invoices.ts'
import { liveSubscription, plansOnSale } from '../portal.ts'
import { periodEnd, planItem, plannedPrice } from '../subscription-items.ts'
import { cardChoice } from './card-choice.ts'
import { html, table, type Html } from './html.ts'
import { moment, money, pageReply } from './layout.ts'

export const PORTAL_NOTES: Record<string, { says: string; isBad: boolean }> = {
  changed: { says: 'Your plan has changed.', isBad: false },
  planned: { says: 'Your plan changes at the end of the period.', isBad: false },
  kept: { says: 'Your new card is charged from now on.', isBad: false },
  declined: { says: 'That card was declined; the one before stays.', isBad: true },
  canceled: { says: 'Your subscription ends with its period.', isBad: false },
  resumed: { says: 'Your subscription continues.', isBad: false },
  unchanged: { says: 'Your current plan stays.', isBad: false },
  paid: { says: 'Thank you, the invoice is paid.', isBad: false },
  unauthenticated: { says: 'Your bank asks you to confirm the payment: open the invoice.', isBad: true },
  unpaid: { says: 'The payment failed. Give another card and try again.', isBad: true },
}

/** The page on which a customer manages the subscription. */
export function portalPage(
  account: Account,
  session: Stripe.BillingPortal.Session,
  note: string | null,
): EmulatorReply {
  const subscription = liveSubscription(account, session.customer)
  const said = PORTAL_NOTES[note ?? '']
  const back = session.return_url
  const body = html`<h1>Your subscription</h1>
    ${said === undefined ? html`` : html`<p class="note ${said.isBad ? 'bad' : 'good'}" role="status">${said.says}</p>`}
    ${subscription === undefined ? html`<section><p>There is none at present.</p></section>` : sections(account, session.id, subscription)}
    ${invoicesSection(account, session)} ${back === null ? html`` : html`<p><a href="${back}">Return</a></p>`}`
  return pageReply('Billing', body)
}

function sections(account: Account, session: string, subscription: Subscription): Html {
  const card = account.paymentMethods.get(subscription.default_payment_method ?? '')?.card
  return html`${planSection(account, session, subscription)} ${nextSection(account, subscription)}
    <section>
      <h2>Card</h2>
      <p>${card === undefined ? 'None' : html`Visa ending in <code>${card.last4}</code>`}</p>
      <form method="post" action="/portal/${session}/card">
        ${cardChoice('Another card')}
        <button>Use this card</button>
      </form>
    </section>
    <section>
      <h2>${subscription.cancel_at_period_end ? 'Go on' : 'Cancel'}</h2>
      ${cancelForm(session, subscription)}
    </section>`
}

function planSection(account: Account, session: string, subscription: Subscription): Html {
  const present = planItem(subscription)?.price
  const planned = plannedPrice(account, subscription)
  const options = plansOnSale(account).map(
    (price) =>
      html`<label class="choice">
        <input
          type="radio"
          name="price"
          value="${price.id}"
          ${{ markup: price.id === present?.id ? 'checked' : '' }}
        />
        <span>${nameOf(account, price)}</span>
        <span class="soft">${money(price.unit_amount ?? 0)} a ${cycleOf(price).interval}</span>
      </label>`,
  )
  return html`<section>
    <p class="row spread">
      <strong>${present === undefined ? '' : nameOf(account, present)}</strong>
      <span class="tag">${subscription.status.replace('_', ' ')}</span>
    </p>
    ${planned === undefined ? html`` : html`<p class="soft">From ${moment(periodEnd(subscription))}: ${nameOf(account, planned)}</p>`}
    <form method="post" action="/portal/${session}/plan">
      <fieldset>
        <legend>Plan</legend>
        ${options}
      </fieldset>
      <p class="soft">
        Upgrades and annual billing start immediately; downgrades and monthly billing start with the next
        period.
      </p>
      <button class="main">Change plan</button>
    </form>
  </section>`
}

function nextSection(account: Account, subscription: Subscription): Html {
  const preview = previewInvoice(account, subscription)
  return html`<section>
    <h2>Next invoice, ${moment(preview.period_end)}</h2>
    ${linesTable(preview)}
  </section>`
}

export function linesTable(invoice: Invoice): Html {
  const rows = invoice.lines.data.map(
    (line) =>
      html`<tr>
        <td>${line.description ?? ''}</td>
        <td class="end">${line.quantity ?? ''}</td>
        <td class="end">${money(line.amount)}</td>
      </tr>`,
  )
  const due = html`<tr>
    <td><strong>Due</strong></td>
    <td></td>
    <td class="end"><strong>${money(invoice.amount_due)}</strong></td>
  </tr>`
  const discount = adjustmentRow('Discount', invoice.total_discount_amounts, -1)
  const tax = adjustmentRow('Tax', invoice.total_taxes, 1)
  return table(['For', 'Quantity', 'Amount'], 2, [...rows, discount, tax, due])
}

function adjustmentRow(name: string, amounts: readonly { amount: number }[] | null, sign: 1 | -1): Html {
  const cents = (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
  if (cents === 0) return html``
  return html`<tr>
    <td>${name}</td>
    <td></td>
    <td class="end">${money(sign * cents)}</td>
  </tr>`
}

function cancelForm(session: string, subscription: Subscription): Html {
  if (subscription.cancel_at_period_end)
    return html`<p>It ends on ${moment(periodEnd(subscription))}.</p>
      <form method="post" action="/portal/${session}/resume"><button>Do not cancel</button></form>`
  return html`<p>The subscription continues until ${moment(periodEnd(subscription))}.</p>
    <form method="post" action="/portal/${session}/cancel"><button>Cancel at the period's end</button></form>`
}

function invoicesSection(account: Account, session: Stripe.BillingPortal.Session): Html {
  const invoices = [...account.invoices.values()].filter(({ customer }) => customer === session.customer)
  if (invoices.length === 0) return html``
  const rows = invoices.toReversed().map((invoice) => {
    const isDue = invoice.status === 'open' || (invoice.status === 'draft' && invoice.auto_advance === false)
    const pay = html`<form method="post" action="/portal/${session.id}/pay/${invoice.id}">
      <button>Pay now</button>
    </form>`
    return html`<tr>
      <td>
        <a href="/invoice/${invoice.id}">${invoice.number ?? 'Draft'}</a><br /><span class="soft"
          >${moment(invoice.created)}</span
        >
      </td>
      <td>${invoice.status} ${isDue ? pay : html``}</td>
      <td class="end">${money(invoice.status === 'draft' ? invoice.total : invoice.amount_due)}</td>
    </tr>`
  })
  return html`<section>
    <h2>Invoices</h2>
    ${table(['Invoice', 'Status', 'Amount'], 1, rows)}
  </section>`
}

function nameOf(account: Account, price: Price): string {
  const name = account.products.get(price.product)?.name ?? price.product
  return `${name}, ${cycleOf(price).interval === 'year' ? 'annual' : 'monthly'}`
}
