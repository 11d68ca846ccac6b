import { checkConnector } from '../../conformance.ts'
import { createProviderHarness } from '../../../support/provider-harness.ts'
import { createRenewedTokens } from '../../../support/renewed-tokens.ts'
import { createExampleAdapter } from './adapter.ts'
import { startExampleEmulator } from './emulator.ts'
import { exampleProvider as provider } from './index.ts'

checkConnector({
  provider,
  revokedMessage: /^token_revoked$/,
  async connect({ thingsPerPage, limits = {}, signal }) {
    const emulator = await startExampleEmulator({ now: () => sync.now })
    const { clientId, clientSecret, url: apiUrl, account, grants } = emulator
    const now = (): Date => new Date(sync.now)
    const adapter = createExampleAdapter({ clientId, clientSecret, apiUrl, notesPerPage: thingsPerPage, now })
    const harness = { adapter, account: { externalAccountId: account, displayName: 'Acme' } }
    const connected = () => ({ ...grants.issue(account, 'notes:read'), expiresAt: null, scopes: [] })
    const sync = createProviderHarness({
      ...harness,
      limits,
      ...(signal && { signal }),
      accessToken: createRenewedTokens(adapter, connected),
    })
    return {
      sync,
      adapter,
      fresh: () =>
        createProviderHarness({
          ...harness,
          accessToken: () => grants.issue(account, 'notes:read').accessToken,
          now: sync.now,
        }),
      add: (text) => emulator.add({ text }),
      edit: (id, text) => emulator.change(id, { text }),
      remove: (id) => emulator.remove(id),
      move: (id) => emulator.change(id, { folder: 'Archive' }),
      break: (id) => emulator.faults.add({ path: `/notes/${id}`, status: 500, body: { error: 'internal' } }),
      mend: () => emulator.faults.clear(),
      requests: {
        faults: emulator.faults,
        path: '/v1/',
        tooMany: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
      },
      revoke: () => grants.revokeAll(),
      expireTokens: () => grants.expireAccessTokens(),
      restrict: (id, email) => emulator.change(id, { readers: [email] }),
      close: () => emulator.close(),
    }
  },
})
