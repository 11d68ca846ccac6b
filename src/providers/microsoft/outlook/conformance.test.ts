import { afterAll } from 'vitest'
import type { EmulatedMail } from '../../../../emulators/microsoft/mail-state.ts'
import { checkConnector } from '../../../../test/connectors/conformance.ts'
import { connectMicrosoft } from '../../../../test/support/microsoft.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createOutlookAdapter, OUTLOOK_SCOPES } from './adapter.ts'
import { outlook as provider } from './index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

checkConnector({
  provider,
  revokedMessage: /^Continuous access evaluation/,
  async connect({ thingsPerPage: itemsPerPage, limits, signal }) {
    const { microsoft, adapter, sync, fresh } = await connectMicrosoft({
      scopes: OUTLOOK_SCOPES,
      createAdapter: (settings, clock) => createOutlookAdapter({ settings, clock, extractor, itemsPerPage }),
      ...(limits && { limits }),
      ...(signal && { signal }),
    })
    const { mail, faults, grants } = microsoft
    const mailOf = (id: string): EmulatedMail => {
      const found = mail.mails.get(id)
      if (found === undefined) throw new Error(`there is no mail ${id}`)
      return found
    }
    return {
      sync,
      adapter,
      fresh,
      add: (text) => mail.deliver({ text }).id,
      edit: (id, text) => mail.change(mailOf(id), { text }),
      remove: (id) => mail.move(mailOf(id), mail.known('deleteditems')),
      move: (id) => mail.move(mailOf(id), mail.folder('Projects')),
      break: (id) => faults.add({ path: `/messages/${encodeURIComponent(id)}`, status: 500 }),
      mend: () => faults.clear(),
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
