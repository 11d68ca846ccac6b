import { gmail } from '@googleapis/gmail'
import pLimit from 'p-limit'
import { z } from 'zod'
import { makeOnce } from '../../../kernel/make-once.ts'
import { isRejected, type OAuthAdapter, type ProviderSession, returnIf } from '../../adapter.ts'
import { readingFeed } from '../../feed.ts'
import { parseAnswer } from '../../rest.ts'
import { createGoogleCaller, createGoogleCalls } from '../shared/calls.ts'
import { createGoogleOAuth } from '../shared/oauth.ts'
import type { GoogleAdapterOptions } from '../shared/settings.ts'
import { createMailFeed } from './feed.ts'
import type { MailRun } from './mail-run.ts'

export const GMAIL_SCOPE = 'https://www.googleapis.com/auth/gmail.readonly'

const Profile = z.object({ emailAddress: z.string().min(1) })

/** The Gmail connector reads every mail of one mailbox except trash, spam, drafts and chats. */
export function createGmailAdapter({ settings, clock, extractor }: GoogleAdapterOptions): OAuthAdapter {
  const rootUrl = settings.apiUrl === null ? {} : { rootUrl: settings.apiUrl }
  const api = gmail({ version: 'v1', retry: false, redirect: 'error', ...rootUrl })
  const caller = createGoogleCaller()
  function openRun(session: ProviderSession): MailRun {
    const call = createGoogleCalls(session, caller)
    return {
      session,
      api,
      call,
      extractor,
      labelNames: makeOnce(() => listLabels({ api, call })),
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
        const address = `${settings.apiUrl ?? 'https://gmail.googleapis.com'}/gmail/v1/users/me/profile`
        const { emailAddress } = parseAnswer(await get(address), Profile, 'Gmail')
        return { externalAccountId: emailAddress, displayName: emailAddress }
      },
    }),
    ...readingFeed(async (session) => createMailFeed(openRun(session))),
  }
}

/** Label names by id. When Gmail refuses, mails carry the ids instead. */
async function listLabels({ api, call }: Pick<MailRun, 'api' | 'call'>): Promise<Map<string, string>> {
  const { labels } = await call((options) => api.users.labels.list({ userId: 'me' }, options)).catch(
    returnIf(isRejected, { labels: [] }),
  )
  return new Map((labels ?? []).flatMap(({ id, name }) => (id && name ? [[id, name] as const] : [])))
}
