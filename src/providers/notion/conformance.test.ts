import { ProviderError } from '../adapter.ts'
import { checkConnector } from '../../../test/connectors/conformance.ts'
import { connectNotion, notionRefusal } from '../../../test/support/notion.ts'
import { createProviderHarness } from '../../../test/support/provider-harness.ts'
import { notion as provider } from './index.ts'

checkConnector({
  provider,
  revokedMessage: /^API token is invalid\.$/,
  async connect({ thingsPerPage, limits = {}, signal }) {
    const tokens: string[] = []
    let isRevoked = false
    const issue = (): string => {
      if (isRevoked) throw new ProviderError('auth', 'The grant is gone.')
      const { accessToken } = notion.grants.issue(notion.workspace.id, '')
      tokens.push(accessToken)
      return accessToken
    }
    const { notion, sync, adapter } = await connectNotion({
      seed: { pages: 0, databases: 0 },
      objectsPerPage: thingsPerPage,
      harness: {
        accessToken: (refused) => (refused === undefined ? (tokens.at(-1) ?? issue()) : issue()),
        limits,
        ...(signal && { signal }),
      },
    })
    return {
      sync,
      adapter,
      fresh: () =>
        createProviderHarness({ adapter, accessToken: issue, account: sync.session.account, now: sync.now }),
      add: (text) => notion.state.create({ title: 'A page', markdown: `It says:\n${text}` }),
      edit: (id, text) => notion.state.edit(id, { markdown: `It says:\n${text}` }),
      remove: (id) => notion.state.trash(id),
      move: (id) => notion.state.move(id, notion.state.create({ title: 'Area', markdown: 'Empty.' })),
      break(id) {
        for (const path of [`${id}/markdown`, `${id}/children`]) notion.faults.add({ path, status: 500 })
      },
      mend: () => notion.faults.clear(),
      deform: (id) => notion.faults.add({ deforms: id }),
      requests: {
        faults: notion.faults,
        tooMany: (seconds) => ({
          ...notionRefusal(429, 'rate_limited'),
          headers: { 'retry-after': String(seconds) },
        }),
      },
      revoke() {
        isRevoked = true
        notion.grants.revokeAll()
      },
      expireTokens: () => notion.grants.expireAccessTokens(),
      close: () => notion.close(),
    }
  },
})
