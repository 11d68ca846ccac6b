import type { EmulatorReply } from '../../kit/server.ts'
import type { Account } from '../account.ts'
import { DAY } from '../clock.ts'
import { nextDueAt } from '../due.ts'
import type { Meters } from '../meters.ts'
import { planItem, plannedPrice } from '../subscription-items.ts'
import { html, table, type Html } from './html.ts'
import { moment, pageReply } from './layout.ts'

/** The clock's steps in seconds. */
export const STEPS = [
  { name: '1 hour', seconds: 3_600 },
  { name: '1 day', seconds: DAY },
  { name: '7 days', seconds: 7 * DAY },
  { name: '31 days', seconds: 31 * DAY },
] as const

const EVENTS_SHOWN = 25

/** The page for moving the clock, with the results. */
export function clockPage(account: Account, meters: Meters): EmulatorReply {
  const due = nextDueAt(account)
  const steps = STEPS.map(
    ({ name, seconds }) =>
      html`<form method="post" action="/clock">
        <button name="seconds" value="${seconds}">${name}</button>
      </form>`,
  )
  const next = html`<form method="post" action="/clock">
    <button class="main" name="next" value="1">To the next event</button>
  </form>`
  const body = html`<h1>The clock at Stripe</h1>
    <section>
      <p class="big">${moment(account.clock.now())}</p>
      <p class="soft">${due === null ? 'Nothing is ahead.' : `Next: ${moment(due)}`}</p>
      <div class="row">${due === null ? html`` : next} ${steps}</div>
    </section>
    ${subscriptionsSection(account)} ${metersSection(account, meters)} ${eventsSection(account)}`
  return pageReply('Stripe emulator', body)
}

function subscriptionsSection(account: Account): Html {
  const subscriptions = [...account.subscriptions.values()].toReversed()
  if (subscriptions.length === 0)
    return html`<section>
      <h2>Subscriptions</h2>
      <p class="soft">None yet: open a checkout in the service.</p>
    </section>`
  const rows = subscriptions.map((subscription) => {
    const item = planItem(subscription)
    const planned = plannedPrice(account, subscription)
    const end = item === undefined ? '' : `until ${moment(item.current_period_end)}`
    return html`<tr>
      <td>
        <code>${subscription.customer}</code><br /><span class="soft"
          >${whoIs(account, subscription.customer)}</span
        >
      </td>
      <td>
        ${item?.price.lookup_key ?? ''}${planned === undefined ? '' : `, then ${planned.lookup_key ?? planned.id}`}<br /><span
          class="soft"
          >${end}</span
        >
      </td>
      <td>
        <span class="tag">${subscription.status.replace('_', ' ')}</span
        >${subscription.cancel_at_period_end && subscription.ended_at === null ? html`<br /><span class="soft">ends then</span>` : html``}
      </td>
    </tr>`
  })
  return html`<section>
    <h2>Subscriptions</h2>
    ${table(['Customer', 'Plan', 'Status'], 0, rows)}
  </section>`
}

function metersSection(account: Account, meters: Meters): Html {
  const rows = Object.entries(meters.totals().units).flatMap(([name, customers]) =>
    Object.entries(customers).map(
      ([customer, units]) =>
        html`<tr>
          <td>${name}</td>
          <td><code>${customer}</code> <span class="soft">${whoIs(account, customer)}</span></td>
          <td class="end">${units}</td>
        </tr>`,
    ),
  )
  if (rows.length === 0) return html``
  return html`<section>
    <h2>Meters</h2>
    ${table(['Meter', 'Customer', 'Units so far'], 1, rows)}
  </section>`
}

function eventsSection(account: Account): Html {
  const events = [...account.events.values()].slice(-EVENTS_SHOWN).toReversed()
  if (events.length === 0) return html``
  const rows = events.map(
    (event) =>
      html`<tr>
        <td>${moment(event.created)}</td>
        <td><code>${event.type}</code></td>
      </tr>`,
  )
  return html`<section>
    <h2>Recent events</h2>
    ${table(['Time', 'Event'], 0, rows)}
  </section>`
}

function whoIs(account: Account, customer: string): string {
  const known = account.customers.get(customer)
  return known?.name ?? known?.email ?? ''
}
