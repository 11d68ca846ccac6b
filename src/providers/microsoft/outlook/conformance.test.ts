import type { EmulatedMail } from '../../../../emulators/microsoft/mail-state.ts'
import { checkMicrosoftConnector } from '../../../../test/connectors/microsoft.ts'
import { createOutlookAdapter, OUTLOOK_SCOPES } from './adapter.ts'
import { outlook as provider } from './index.ts'

checkMicrosoftConnector({
  provider,
  scopes: OUTLOOK_SCOPES,
  createAdapter: createOutlookAdapter,
  things({ mail, faults }) {
    const mailOf = (id: string): EmulatedMail => {
      const found = mail.mails.get(id)
      if (found === undefined) throw new Error(`there is no mail ${id}`)
      return found
    }
    return {
      add: (text) => mail.deliver({ text }).id,
      edit: (id, text) => mail.change(mailOf(id), { text }),
      remove: (id) => mail.move(mailOf(id), mail.known('deleteditems')),
      move: (id) => mail.move(mailOf(id), mail.folder('Projects')),
      break: (id) => faults.add({ path: `/messages/${encodeURIComponent(id)}`, status: 500 }),
    }
  },
})
