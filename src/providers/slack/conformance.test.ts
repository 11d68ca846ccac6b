import { checkConnector } from '../../../test/connectors/conformance.ts'
import { connectSlack } from '../../../test/support/slack.ts'
import { createProviderHarness } from '../../../test/support/provider-harness.ts'
import { slack as provider } from './index.ts'

const SCOPES = 'groups:read,groups:history,channels:join,channels:read,users:read'

checkConnector({
  provider,
  revokedMessage: /^token_revoked$/,
  webhookSettings: { SLACK_SIGNING_SECRET: 'secret' },
  async connect({ thingsPerPage, limits = {}, signal }) {
    const tokens: string[] = []
    const issue = (): string => {
      const { accessToken } = slack.grants.issue(slack.team.id, SCOPES)
      tokens.push(accessToken)
      return accessToken
    }
    const accessToken = (refused?: string): string =>
      refused === undefined ? (tokens.at(-1) ?? issue()) : issue()
    const { slack, sync, adapter, channel } = await connectSlack({
      seed: { channels: 2, messagesPerChannel: 0, memberChannels: 2 },
      rotatesTokens: true,
      pageSize: thingsPerPage,
      itemsPerPage: thingsPerPage,
      harness: { accessToken, limits, ...(signal && { signal }) },
    })
    const general = channel(0)
    return {
      sync,
      adapter,
      fresh: () =>
        createProviderHarness({ adapter, accessToken: issue, account: sync.session.account, now: sync.now }),
      // A thread, because only a thread has a request of its own that can fail.
      add(text) {
        const ts = slack.state.post(general, { text })
        slack.state.post(general, { text: 'Noted.', threadTs: ts })
        return ts
      },
      edit: (ts, text) => slack.state.edit(general, ts, text),
      remove(ts) {
        for (const message of slack.state.thread(general, ts).toReversed())
          slack.state.delete(general, message.ts)
      },
      break: (ts) => slack.faults.add({ path: 'conversations.replies', contains: ts, status: 500 }),
      mend: () => slack.faults.clear(),
      requests: {
        faults: slack.faults,
        path: '/api/',
        tooMany: (seconds) => ({
          status: 429,
          headers: { 'retry-after': String(seconds) },
          body: { ok: false, error: 'ratelimited' },
        }),
      },
      revoke: () => slack.grants.revokeAll(),
      expireTokens: () => slack.grants.expireAccessTokens(),
      restrict: () => slack.state.setPrivate(general, true),
      close: () => slack.close(),
    }
  },
})
