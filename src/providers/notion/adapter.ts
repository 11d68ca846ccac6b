import type { ProviderAdapter } from '../provider.ts'
import { listNotionChanges } from './changes.ts'
import { createNotionCaller, createNotionRun } from './client.ts'
import { exchangeNotionCode, notionAuthorizeUrl, refreshNotionToken, revokeNotionToken } from './oauth.ts'

export interface NotionAdapterOptions {
  clientId: string
  clientSecret: string
  /** Stands for `https://api.notion.com`. */
  apiUrl: string
  /** Objects after which a page is handed out to be stored; 20 when left out. */
  objectsPerPage?: number
  now?: () => Date
}

/** Notion, read through the pages a person shared with the connection. */
export function createNotionAdapter(options: NotionAdapterOptions): ProviderAdapter {
  const oauth = { ...options, now: options.now ?? (() => new Date()) }
  const caller = createNotionCaller()
  return {
    provider: 'notion',
    usesPkce: false,
    authorizeUrl: (input) => notionAuthorizeUrl(oauth, input),
    exchangeCode: (input) => exchangeNotionCode(oauth, input),
    refresh: (credentials, signal) => refreshNotionToken(oauth, credentials, signal),
    revoke: (credentials, signal) => revokeNotionToken(oauth, credentials, signal),
    listChanges: (session, input) =>
      listNotionChanges(
        createNotionRun(options.apiUrl, session, caller),
        input,
        options.objectsPerPage ?? 20,
      ),
  }
}
