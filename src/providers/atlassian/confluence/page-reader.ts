import type { LimitFunction } from 'p-limit'
import type { TextExtractor } from '../../../file-text/index.ts'
import type { ProviderSession } from '../../adapter.ts'
import type { Confluence, ConfluenceUser } from './client.ts'
import type { ContentList } from './tree.ts'

/** What reading pages takes. */
export interface PageReader {
  confluence: Confluence
  session: ProviderSession
  extractor: TextExtractor
  /** People by account id, as far as they were needed. */
  people: Map<string, ConfluenceUser | null>
  /** Attachments may be large, so one is in memory at a time. */
  oneAttachment: LimitFunction
}

/** The ids of a page's comments and attachments. */
export interface KnownParts {
  comments: ReadonlySet<string>
  attachments: ReadonlySet<string>
}

/** A page or blog post: its id, and where the API has it. */
export interface Place {
  id: string
  list: ContentList
}
