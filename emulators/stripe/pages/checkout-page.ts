import type { EmulatorReply } from '../../kit/server.ts'
import type { Account, CheckoutSession } from '../account.ts'
import { found } from '../account.ts'
import { amountOf, cycleOf } from '../catalog.ts'
import { totalOf } from '../checkout.ts'
import { isMetered } from '../subscription-items.ts'
import { trialEndAfter } from '../subscriptions.ts'
import { authenticationForm } from './authentication-form.ts'
import { cardChoice } from './card-choice.ts'
import { html, type Html } from './html.ts'
import { moment, money, pageReply } from './layout.ts'

export function checkoutPage(
  account: Account,
  session: CheckoutSession,
  { isDeclined }: { isDeclined: boolean },
): EmulatorReply {
  if (session.status !== 'open') return closedPage(session)
  if (account.challengedCards.has(session.id))
    return pageReply('Checkout', authenticationForm(`/checkout/${session.id}/authenticate`))
  const lines = account.checkoutLines.get(session.id) ?? []
  const trialEnd = trialEndAfter(account, account.checkoutPlans.get(session.id)?.trialDays ?? null)
  const total = totalOf(account, lines)
  const customer = account.customers.get(session.customer ?? '')
  const email = customer?.email ?? session.customer_email ?? ''
  const declined = html`<p class="note bad" role="alert">
    Your card was declined. Nothing was charged; choose another one.
  </p>`
  const body = html`<h1>Subscribe</h1>
    ${isDeclined ? declined : html``}
    <section aria-label="Order">
      ${lines.map((line) => lineOf(account, line))}
      <p class="row spread">
        <strong>Due today</strong><span class="big">${money(trialEnd === null ? total : 0)}</span>
      </p>
      ${trialEnd === null ? html`` : html`<p class="soft">Free until ${moment(trialEnd)}, then ${money(total)}, unless canceled before.</p>`}
    </section>
    <section aria-label="Payment">
      <form method="post" action="/checkout/${session.id}">
        <label class="field"
          >Email <input type="email" name="email" value="${email}" autocomplete="off"
        /></label>
        ${session.allow_promotion_codes === true ? CODE_FIELD : html``} ${cardChoice('Card')}
        <button class="main wide">${trialEnd === null ? `Pay ${money(total)}` : 'Start trial'}</button>
      </form>
    </section>
    <div class="row">
      ${backForm(session)}
      <form method="post" action="/checkout/${session.id}/abandon">
        <button>Expire the checkout</button>
      </form>
    </div>`
  return pageReply('Checkout', body)
}

const CODE_FIELD = html`<label class="field">Promotion code <input name="code" autocomplete="off" /></label>`

function backForm({ cancel_url }: CheckoutSession): Html {
  return cancel_url === null ? html`` : html`<a href="${cancel_url}">Back without paying</a>`
}

function lineOf(account: Account, line: { price: string; quantity: number | null }): Html {
  const price = found(account.prices, 'price', line.price)
  const name = account.products.get(price.product)?.name ?? price.product
  const { interval } = cycleOf(price)
  const says = isMetered(price)
    ? `$${(Number(price.unit_amount_decimal ?? 0) / 100).toFixed(3)} each, billed by use`
    : `${money(amountOf(price, line.quantity ?? 1))} a ${interval}`
  return html`<p class="row spread"><span>${name}</span><span class="soft">${says}</span></p>`
}

function closedPage(session: CheckoutSession): EmulatorReply {
  const says = session.status === 'complete' ? 'This checkout is complete.' : 'This checkout has expired.'
  return pageReply(
    'Checkout',
    html`<h1>${says}</h1>
      <p>${backForm(session)}</p>`,
    410,
  )
}
