import type { NotionRun } from './client.ts'
import type { NotionRef } from './cursor.ts'
import { toNotionList, toNotionObject, toNotionRef, type NotionObject } from './objects.ts'

const RESULTS_PER_REQUEST = 100
/** Ten times what Notion lists in one search. */
const MOST_REQUESTS = 1_000

export interface SearchPage {
  results: NotionObject[]
  /** "Partial" results: Notion returns only their ids. */
  partial: NotionRef[]
  /** Cursor of the next page; null at the end. */
  nextCursor: string | null
}

/** What is shared with us, or with `inTrash` the trash, most recently edited first. @throws ProviderError */
export async function* searchPages(
  run: NotionRun,
  startCursor: string | null,
  inTrash = false,
): AsyncGenerator<SearchPage> {
  let cursor = startCursor
  for (let request = 0; request < MOST_REQUESTS; request += 1) {
    const page = await searchOnce(run, cursor, inTrash)
    // A cursor that points to itself would loop.
    if (page.nextCursor === cursor) page.nextCursor = null
    yield page
    cursor = page.nextCursor
    if (cursor === null) return
  }
}

async function searchOnce(run: NotionRun, cursor: string | null, inTrash: boolean): Promise<SearchPage> {
  const answer = await run.call(async (auth) =>
    toNotionList(
      await run.client.search({
        auth,
        sort: { timestamp: 'last_edited_time', direction: 'descending' },
        page_size: RESULTS_PER_REQUEST,
        ...(inTrash ? { filter: { in_trash: true } } : {}),
        ...(cursor === null ? {} : { start_cursor: cursor }),
      }),
    ),
  )
  const page: SearchPage = { results: [], partial: [], nextCursor: answer.nextCursor }
  for (const result of answer.results) {
    const object = toNotionObject(result)
    const ref = object ? null : toNotionRef(result)
    if (object) page.results.push(object)
    else if (ref) page.partial.push(ref)
  }
  return page
}
