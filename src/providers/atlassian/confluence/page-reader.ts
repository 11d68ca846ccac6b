import type { LimitFunction } from 'p-limit'
import type { TextExtractor } from '../../../file-text/index.ts'
import type { ProviderSession } from '../../adapter.ts'
import type { Confluence, ConfluenceUser } from './client.ts'
import type { ContentList } from './tree.ts'

/** What is needed to read pages. */
export interface PageReader {
  confluence: Confluence
  session: ProviderSession
  extractor: TextExtractor
  /** People requested so far, by account id. */
  people: Map<string, ConfluenceUser | null>
  /** Attachments may be large, so one is in memory at a time. */
  oneAttachment: LimitFunction
}

/** The ids of a page's comments and attachments. */
export interface KnownParts {
  comments: ReadonlySet<string>
  attachments: ReadonlySet<string>
}

/** A page or blog post: its id and its API list. */
export interface Place {
  id: string
  list: ContentList
}
