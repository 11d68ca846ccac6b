import { describe, expect, it } from 'vitest'
import { connectedPage } from './connected-page.ts'

describe('the page after the provider', () => {
  it('says that the account is connected and its sync has started', () => {
    const { text: page } = connectedPage({ provider: 'google_drive', connected: 'c3a1' })
    expect(page).toContain('<h1>Google Drive is connected</h1>')
    expect(page).toContain('first sync has started')
  })

  it("says that the account is not connected, with the provider's error code", () => {
    const { text: page } = connectedPage({ provider: 'slack', error: 'access_denied' })
    expect(page).toContain('<h1>Slack was not connected</h1>')
    expect(page).toContain('<code>access_denied</code>')
  })

  it.each([
    { provider: '<script>', connected: '"><script>alert(1)</script>' },
    { provider: 'slack', error: 'Call 0800 and tell your password' },
    { provider: ['slack', 'x'], error: ['a', '<b>'] },
    { provider: 'constructor', error: '<img src=x>' },
    {},
  ])('shows nothing else from its URL: %j', (query) => {
    const { text: page } = connectedPage(query)
    expect(page).not.toMatch(/script|alert|0800|<b>|<img|function/)
    expect(page).toMatch(/<h1>[^<]+ (?:is|was not|was) connected/)
  })
})
