import { type Html, html, page } from '../http/page.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { findProvider, providers } from '../providers/index.ts'

export function providerName(provider: ProviderId | undefined): string {
  return provider === undefined ? 'The account' : findProvider(provider).name
}

/** OAuth's error codes (RFC 6749, 4.1.2.1): the page shows nothing else from its URL. */
const ERROR_CODE = /^[a-z_]{1,60}$/

/**
 * The page after a provider's redirect when the console is not installed: says whether the account was connected. It
 * shows only known words from its URL, so that a crafted link cannot change its message.
 */
export function connectedPage(query: { provider?: unknown; connected?: unknown; error?: unknown }): Html {
  const provider = providers.find(({ id }) => id === query.provider)?.name ?? 'The account'
  if (typeof query.connected === 'string') {
    return page(
      `${provider} is connected`,
      html`<p>Its first sync has started. Items are searchable as they arrive. You can close this page.</p>`,
    )
  }
  if (query.error === undefined) {
    return page(
      'Nothing was connected just now',
      html`<p>This is the page that a provider sends you back to when you connect an account.</p>`,
    )
  }
  const reason =
    typeof query.error === 'string' && ERROR_CODE.test(query.error)
      ? html` The provider says: <code>${query.error}</code>.`
      : html``
  return page(
    `${provider} was not connected`,
    html`<p>Nothing was stored.${reason} You can close this page and try again.</p>`,
  )
}
