import { isFullPageOrDataSource } from '@notionhq/client'
import { ProviderError } from '../../provider.ts'
import type { NotionObject, NotionRun } from './notion-client.ts'

const RESULTS_PER_REQUEST = 100

export interface SearchPage {
  results: NotionObject[]
  /** What to ask for after this page; null at the end. */
  nextCursor: string | null
}

/**
 * What is shared with us, edited last first, from `startCursor` on (null: the first page); with `inTrash` what lies in the
 * trash instead. Throws ProviderError; `cursor_expired` when Notion no longer takes the cursor.
 */
export async function* searchPages(
  run: NotionRun,
  startCursor: string | null,
  inTrash = false,
): AsyncGenerator<SearchPage> {
  let cursor = startCursor
  do {
    const page = await searchOnce(run, cursor, inTrash)
    yield page
    cursor = page.nextCursor
  } while (cursor !== null)
}

async function searchOnce(run: NotionRun, cursor: string | null, inTrash: boolean): Promise<SearchPage> {
  try {
    const answer = await run.call((auth) =>
      run.client.search({
        auth,
        sort: { timestamp: 'last_edited_time', direction: 'descending' },
        page_size: RESULTS_PER_REQUEST,
        ...(inTrash ? { filter: { in_trash: true } } : {}),
        ...(cursor === null ? {} : { start_cursor: cursor }),
      }),
    )
    return { results: answer.results.filter(isFullPageOrDataSource), nextCursor: answer.next_cursor }
  } catch (error) {
    if (cursor !== null && error instanceof ProviderError && error.code === 'validation_error') {
      throw new ProviderError('cursor_expired', error.message, { code: 'validation_error', cause: error })
    }
    throw error
  }
}
