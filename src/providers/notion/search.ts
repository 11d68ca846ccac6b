import { followPages } from '../pages.ts'
import type { NotionRun } from './client.ts'
import type { NotionRef } from './cursor.ts'
import { List, toNotionObject, toNotionRef, type NotionObject } from './objects.ts'

const RESULTS_PER_REQUEST = 100

export interface SearchPage {
  results: NotionObject[]
  /** "Partial" results: Notion returns only their ids. */
  partial: NotionRef[]
  /** Cursor of the next page; null at the end. */
  nextCursor: string | null
}

/** What is shared with us, or with `inTrash` the trash, most recently edited first. @throws ProviderError */
export const searchPages = (
  run: NotionRun,
  startCursor: string | null,
  inTrash = false,
): AsyncGenerator<SearchPage> =>
  followPages(
    (cursor) => searchOnce(run, cursor ?? startCursor, inTrash),
    ({ nextCursor }) => nextCursor,
  )

async function searchOnce(run: NotionRun, cursor: string | null, inTrash: boolean): Promise<SearchPage> {
  const { results, nextCursor } = await run.call('search', List, {
    sort: { timestamp: 'last_edited_time', direction: 'descending' },
    page_size: RESULTS_PER_REQUEST,
    ...(inTrash && { filter: { in_trash: true } }),
    ...(cursor !== null && { start_cursor: cursor }),
  })
  // A cursor that points to itself would loop.
  const page: SearchPage = { results: [], partial: [], nextCursor: nextCursor === cursor ? null : nextCursor }
  for (const result of results) {
    const object = toNotionObject(result)
    const ref = object ? null : toNotionRef(result)
    if (object) page.results.push(object)
    else if (ref) page.partial.push(ref)
  }
  return page
}
