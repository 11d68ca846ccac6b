import { afterAll } from 'vitest'
import { checkConnector } from '../../../../test/connectors/conformance.ts'
import { changeIssues } from '../../../../test/support/github.ts'
import { connectInstallation, startGitHubApp } from '../../../../test/support/github-app.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { githubApp as provider } from './index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

checkConnector({
  provider,
  revokedMessage: /^Bad credentials$/,
  // The suite makes an id by adding a digit, which must not be another issue's.
  things: 9,
  async connect({ thingsPerPage: itemsPerPage, limits, signal }) {
    const account = await startGitHubApp(extractor, { itemsPerPage })
    const { hub, adapter } = account
    const { installation, web, sync, fresh } = await connectInstallation(account, {
      ...(limits && { limits }),
      ...(signal && { signal }),
    })
    return {
      sync,
      adapter,
      fresh,
      ...changeIssues({ hub, web }),
      mend: () => hub.faults.clear(),
      requests: {
        faults: hub.faults,
        path: '/repos/',
        tooMany: (seconds) => ({
          status: 403,
          headers: { 'retry-after': String(seconds) },
          body: { message: 'You have exceeded a secondary rate limit.' },
        }),
      },
      revoke: () => hub.app.uninstall(installation),
      expireTokens: () => hub.app.tokens.expireAccessTokens(),
      close: () => hub.close(),
    }
  },
})
