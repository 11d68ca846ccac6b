import type { OAuthAdapter } from '../adapter.ts'
import { listNotionChanges, readNotionItem } from './changes.ts'
import { createNotionRuns } from './client.ts'
import { createNotionOAuth } from './oauth.ts'

export interface NotionAdapterOptions {
  clientId: string
  clientSecret: string
  /** Replaces `https://api.notion.com`. */
  apiUrl: string
  /** Objects per yielded page; 20 by default. */
  objectsPerPage?: number
  now?: () => Date
}

/** Reads the Notion pages that a user shared with the connection. */
export function createNotionAdapter(options: NotionAdapterOptions): OAuthAdapter {
  const runOf = createNotionRuns(options.apiUrl)
  return {
    provider: 'notion',
    ...createNotionOAuth({ ...options, now: options.now ?? (() => new Date()) }),
    listChanges: (session, input) => listNotionChanges(runOf(session), input, options.objectsPerPage ?? 20),
    readItem: (session, { externalId }) => readNotionItem(runOf(session), externalId),
  }
}
