import { gmail, type gmail_v1 } from '@googleapis/gmail'
import pLimit from 'p-limit'
import { z } from 'zod'
import { makeOnce } from '../../../kernel/make-once.ts'
import {
  isRejected,
  ProviderError,
  type ChangePage,
  type ListChangesInput,
  type OAuthAdapter,
  type ProviderSession,
  returnIf,
} from '../../adapter.ts'
import { parseAnswer } from '../../rest.ts'
import { crawlName, parseCursor } from '../../run-state.ts'
import { createGoogleCaller, createGoogleCalls, type GoogleCalls } from '../shared/calls.ts'
import { createGoogleOAuth } from '../shared/oauth.ts'
import type { GoogleAdapterOptions } from '../shared/settings.ts'
import { createItemFailures, retriesAfter } from '../shared/item-failures.ts'
import { newSyncStep, pageOf } from '../shared/sync-steps.ts'
import { GmailCursor } from './cursor.ts'
import { crawlMailbox } from './mail-crawl.ts'
import { changesSince } from './mail-history.ts'
import { readMailBatches, type ReadMails, readMails } from './mail-reader.ts'
import type { MailRun } from './mail-run.ts'

export const GMAIL_SCOPE = 'https://www.googleapis.com/auth/gmail.readonly'

const Profile = z.object({ emailAddress: z.string().min(1) })

/** The Gmail connector reads every mail of one mailbox except trash, spam, drafts and chats. */
export function createGmailAdapter({ settings, clock, extractor }: GoogleAdapterOptions): OAuthAdapter {
  const rootUrl = settings.apiUrl === null ? {} : { rootUrl: settings.apiUrl }
  const api = gmail({ version: 'v1', retry: false, redirect: 'error', ...rootUrl })
  const caller = createGoogleCaller()
  const oauth = createGoogleOAuth({
    settings,
    scope: GMAIL_SCOPE,
    clock,
    async identify(get) {
      const address = `${settings.apiUrl ?? 'https://gmail.googleapis.com'}/gmail/v1/users/me/profile`
      const { emailAddress } = parseAnswer(await get(address), Profile, 'Gmail')
      return { externalAccountId: emailAddress, displayName: emailAddress }
    },
  })

  function openRun(session: ProviderSession): MailRun {
    const call = createGoogleCalls(session, caller)
    return {
      session,
      api,
      call,
      extractor,
      failures: createItemFailures(() => getProfile(api, call)),
      labelNames: makeOnce(() => listLabels(api, call)),
      oneAttachment: pLimit(1),
    }
  }

  async function* listChanges(session: ProviderSession, input: ListChangesInput): AsyncGenerator<ChangePage> {
    const run = openRun(session)
    const state = input.cursor === null ? await startCrawl(run) : parseCursor(input.cursor, GmailCursor)
    const snapshot = state.crawl?.name ?? null
    for await (const step of steps(run, state)) {
      state.retry = retriesAfter(state.retry, step)
      yield pageOf(state, step, { snapshot, complete: false })
    }
    yield pageOf(state, newSyncStep(), { snapshot, complete: true })
  }

  return {
    provider: 'gmail',
    ...oauth,
    listChanges,
    readItem: async (session, { externalId }) =>
      await readMails(openRun(session), [externalId.slice(externalId.lastIndexOf('/') + 1)]),
  }
}

/** All steps of a run. A full crawl is its own run; the next run reads the history since its start. */
async function* steps(run: MailRun, state: GmailCursor): AsyncGenerator<ReadMails> {
  if (state.crawl !== null) {
    yield* crawlMailbox(run, state)
    return
  }
  if (state.retry.length > 0) {
    const ids = state.retry.map(({ id }) => id)
    for await (const { read, isLast } of readMailBatches(run, ids))
      yield { ...read, discovered: isLast ? ids.length : 0 }
  }
  yield* changesSince(run, state)
}

async function startCrawl(run: MailRun): Promise<GmailCursor> {
  const historyId = (await getProfile(run.api, run.call)).historyId
  if (!historyId) throw new ProviderError('unavailable', 'Gmail answered without a history id')
  const name = crawlName(run.session)
  return { version: 1, historyId, crawl: { name, pageToken: null, listed: false }, history: null, retry: [] }
}

async function getProfile(api: gmail_v1.Gmail, call: GoogleCalls): Promise<gmail_v1.Schema$Profile> {
  return await call((options) => api.users.getProfile({ userId: 'me' }, options))
}

/** Label names by id. When Gmail refuses, mails carry the ids instead. */
async function listLabels(api: gmail_v1.Gmail, call: GoogleCalls): Promise<Map<string, string>> {
  const { labels } = await call((options) => api.users.labels.list({ userId: 'me' }, options)).catch(
    returnIf(isRejected, { labels: [] }),
  )
  return new Map((labels ?? []).flatMap(({ id, name }) => (id && name ? [[id, name] as const] : [])))
}
