import { afterAll } from 'vitest'
import { checkConnector } from '../../../../test/connectors/conformance.ts'
import { connectGoogle, freshGoogle, refusal } from '../../../../test/support/google.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createGmailAdapter, GMAIL_SCOPE } from './adapter.ts'
import { gmail as provider } from './index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

checkConnector({
  provider,
  // Pages have fifty mails.
  things: 110,
  revokedMessage: /^Invalid Credentials$/,
  async connect({ limits, signal }) {
    const { google, engine, adapter } = await connectGoogle(
      (settings, clock) => createGmailAdapter({ settings, clock, extractor }),
      GMAIL_SCOPE,
      {},
      limits,
      signal,
    )
    const { mail, faults, grants } = google
    const add = (text: string): string => mail.deliver({ subject: 'A mail', text })
    return {
      sync: engine,
      adapter,
      fresh: () => freshGoogle(google, adapter, engine, GMAIL_SCOPE),
      add,
      // A mail never changes: an edited draft is another message.
      edit(id, text) {
        mail.remove(id)
        add(text)
      },
      remove: (id) => mail.trash(id),
      break: (id) => faults.add({ path: id, status: 500, body: refusal('backendError', 500) }),
      mend: () => faults.clear(),
      requests: {
        faults,
        path: '/gmail/v1/',
        tooMany: (seconds) => ({
          status: 429,
          headers: { 'retry-after': String(seconds) },
          body: refusal('rateLimitExceeded', 429),
        }),
      },
      revoke: () => grants.revokeAll(),
      expireTokens: () => grants.expireAccessTokens(),
      close: () => google.close(),
    }
  },
})
