import { afterAll } from 'vitest'
import type { MicrosoftEmulator } from '../../emulators/microsoft/index.ts'
import { createTextExtractor, type TextExtractor } from '../../src/file-text/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Provider } from '../../src/providers/index.ts'
import type { MicrosoftSettings } from '../../src/providers/microsoft/shared/settings.ts'
import type { OAuthAdapter } from '../../src/providers/adapter.ts'
import { connectMicrosoft } from '../support/microsoft.ts'
import { checkConnector } from './conformance.ts'
import type { ConnectedAccount } from './connected-account.ts'

type Things = Pick<ConnectedAccount, 'add' | 'edit' | 'remove' | 'move' | 'break' | 'restrict'> & {
  mend?(): void
}

export interface MicrosoftConnector {
  provider: Provider
  scopes: readonly string[]
  createAdapter(options: {
    settings: MicrosoftSettings
    clock: Clock
    extractor: TextExtractor
    itemsPerPage: number
  }): OAuthAdapter
  /** The account's content before it is connected. */
  prepare?(microsoft: MicrosoftEmulator): void
  things(microsoft: MicrosoftEmulator): Things
}

/** The conformance suite for a connector of Microsoft Graph. */
export function checkMicrosoftConnector(connector: MicrosoftConnector): void {
  const { provider, scopes, prepare } = connector
  const extractor = createTextExtractor({ threads: 1 })
  afterAll(() => extractor.close())
  checkConnector({
    provider,
    revokedMessage: /^Continuous access evaluation/,
    async connect({ thingsPerPage: itemsPerPage, limits, signal }) {
      const { microsoft, ...account } = await connectMicrosoft({
        scopes,
        createAdapter: (settings, clock) =>
          connector.createAdapter({ settings, clock, extractor, itemsPerPage }),
        ...(prepare && { prepare }),
        ...(limits && { limits }),
        ...(signal && { signal }),
      })
      const { faults, grants } = microsoft
      const things = connector.things(microsoft)
      return {
        ...account,
        ...things,
        deform: (id) => microsoft.faults.add({ deforms: id }),
        mend() {
          faults.clear()
          things.mend?.()
        },
        requests: {
          faults,
          path: '/v1.0/',
          tooMany: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) } }),
        },
        revoke: () => grants.revokeAll(),
        expireTokens: () => grants.expireAccessTokens(),
        close: () => microsoft.close(),
      }
    },
  })
}
