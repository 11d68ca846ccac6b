import { afterAll } from 'vitest'
import { checkConnector } from '../../../../test/connectors/conformance.ts'
import { connectGoogle, freshGoogle, refusal } from '../../../../test/support/google.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createGoogleDriveAdapter, GOOGLE_DRIVE_SCOPE } from './adapter.ts'
import { googleDrive as provider } from './index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

checkConnector({
  provider,
  // Drive's pages have fifty files.
  things: 110,
  revokedMessage: /^Invalid Credentials$/,
  async connect({ limits, signal }) {
    const { google, engine, adapter } = await connectGoogle(
      (settings, clock) => createGoogleDriveAdapter({ settings, clock, extractor }),
      GOOGLE_DRIVE_SCOPE,
      {},
      limits,
      signal,
    )
    const { drive, faults, grants } = google
    return {
      sync: engine,
      adapter,
      fresh: () => freshGoogle(google, adapter, engine, GOOGLE_DRIVE_SCOPE),
      add: (text) => drive.create({ name: 'A file', content: text }),
      edit: (id, text) => drive.update(id, { content: text }),
      remove: (id) => drive.trash(id),
      move: (id) => drive.update(id, { parent: drive.createFolder('Area') }),
      break: (id) => faults.add({ path: `${id}/export`, status: 500, body: refusal('backendError', 500) }),
      mend: () => faults.clear(),
      deform: (id) => faults.add({ deforms: id }),
      requests: {
        faults,
        path: '/drive/v3/',
        tooMany: (seconds) => ({
          status: 429,
          headers: { 'retry-after': String(seconds) },
          body: refusal('rateLimitExceeded', 429),
        }),
      },
      revoke: () => grants.revokeAll(),
      expireTokens: () => grants.expireAccessTokens(),
      restrict: (id, emailAddress) =>
        drive.update(id, { permissions: [{ id: 'p1', type: 'user', emailAddress }] }),
      close: () => google.close(),
    }
  },
})
