import { describe, expect, it } from 'vitest'
import { billingPage } from './billing-page.ts'

describe('the page after the payment processor', () => {
  it.each([
    [{ checkout: 'done' }, 'Your plan is on its way'],
    [{ checkout: 'canceled' }, 'Nothing was bought'],
    [{}, 'Billing'],
    [{ checkout: '<script>alert(1)</script>' }, 'Billing'],
  ])('says what happened, and nothing else from its URL: %j', (query, title) => {
    const { text } = billingPage(query)
    expect(text).toContain(`<h1>${title}</h1>`)
    expect(text).not.toContain('script')
  })
})
