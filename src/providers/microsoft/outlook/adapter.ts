import pLimit from 'p-limit'
import { readingFeed } from '../../feed.ts'
import type { OAuthAdapter, ProviderSession } from '../../adapter.ts'
import { createGraphs } from '../shared/graph.ts'
import { addressOf, createMicrosoftOAuth, Me, ME_FIELDS } from '../shared/oauth.ts'
import type { MicrosoftAdapterOptions } from '../shared/settings.ts'
import { createMailFeed } from './feed.ts'
import { listFolders } from './folders.ts'
import type { MailRun } from './read-mail.ts'

export const OUTLOOK_SCOPES = ['Mail.Read']

/** Reads the mails of an account's mailbox, except deleted, junk and unsent ones. */
export function createOutlookAdapter(options: MicrosoftAdapterOptions): OAuthAdapter {
  const { settings, clock, extractor, itemsPerPage = 50 } = options
  // https://learn.microsoft.com/graph/outlook-immutable-id: with it, a mail that moves keeps its id.
  const prefer = `IdType="ImmutableId", outlook.body-content-type="text", odata.maxpagesize=${itemsPerPage}`
  const graphOf = createGraphs(settings.apiUrl, { prefer })
  async function openRun(session: ProviderSession): Promise<MailRun> {
    const graph = graphOf(session)
    return {
      graph,
      session,
      extractor,
      itemsPerPage,
      mailbox: addressOf(await graph.get(`me?$select=${ME_FIELDS}`, Me)),
      folders: await listFolders(graph),
      oneAttachment: pLimit(1),
    }
  }
  return {
    provider: 'outlook',
    ...createMicrosoftOAuth(settings, { scopes: OUTLOOK_SCOPES, clock }),
    ...readingFeed(async (session) => createMailFeed(await openRun(session))),
  }
}
