import pLimit from 'p-limit'
import { z } from 'zod'
import { makeOnce } from '../../../kernel/make-once.ts'
import { isRejected, type OAuthAdapter, type ProviderSession, returnIf } from '../../adapter.ts'
import { readingFeed } from '../../feed.ts'
import { knownOf, parseAnswer } from '../../rest.ts'
import { createGoogleApis, type GoogleApi } from '../shared/calls.ts'
import { createGoogleOAuth } from '../shared/oauth.ts'
import type { GoogleAdapterOptions } from '../shared/settings.ts'
import { createMailFeed } from './feed.ts'
import type { MailRun } from './mail-run.ts'

export const GMAIL_SCOPE = 'https://www.googleapis.com/auth/gmail.readonly'

const Profile = z.object({ emailAddress: z.string().min(1) })
const LabelList = z.object({
  labels: knownOf(z.object({ id: z.string(), name: z.string() })).nullish(),
})

/** The Gmail connector reads every mail of one mailbox except trash, spam, drafts and chats. */
export function createGmailAdapter({ settings, clock, extractor }: GoogleAdapterOptions): OAuthAdapter {
  const base = `${settings.apiUrl ?? 'https://gmail.googleapis.com'}/gmail/v1/users/me`
  const apiFor = createGoogleApis('Gmail', base)
  function openRun(session: ProviderSession): MailRun {
    const api = apiFor(session)
    return {
      session,
      api,
      extractor,
      labelNames: makeOnce(() => listLabels(api)),
      oneAttachment: pLimit(1),
    }
  }
  return {
    provider: 'gmail',
    ...createGoogleOAuth({
      settings,
      scope: GMAIL_SCOPE,
      clock,
      async identify(get) {
        const { emailAddress } = parseAnswer(await get(`${base}/profile`), Profile, 'Gmail')
        return { externalAccountId: emailAddress, displayName: emailAddress }
      },
    }),
    ...readingFeed(async (session) => createMailFeed(openRun(session))),
  }
}

/** Label names by id. When Gmail refuses, mails carry the ids instead. */
async function listLabels(api: GoogleApi): Promise<Map<string, string>> {
  const { labels } = await api.get('labels', {}, LabelList).catch(returnIf(isRejected, { labels: [] }))
  return new Map(labels?.map(({ id, name }) => [id, name]))
}
