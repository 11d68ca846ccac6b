import { returnIf } from '../adapter.ts'
import { followPages } from '../pages.ts'
import { isUnsupported, type NotionRun } from './client.ts'
import type { NotionRef } from './cursor.ts'
import { List, toNotionObject, toNotionRef, type NotionObject } from './objects.ts'

const ROWS_PER_REQUEST = 100
/** 100,000 rows of one data source. */
const MOST_REQUESTS = 1_000

export interface NotionRow extends NotionRef {
  /** Null when Notion returns only the id. */
  object: NotionObject | null
}

/** A data source's rows by creation time, beyond one query's 10,000; empty when it is gone. @throws ProviderError */
export async function* rowsOf(
  run: NotionRun,
  dataSourceId: string,
  onRequest = () => undefined,
): AsyncGenerator<NotionRow> {
  const seen = new Set<string>()
  let createdFrom: string | null = null
  let requests = 0
  for (;;) {
    let last: string | null = createdFrom
    let isIncomplete = false
    for await (const page of queryRows(run, dataSourceId, createdFrom)) {
      onRequest()
      if (page === null) return
      ;({ isIncomplete } = page)
      for (const result of page.results) {
        const ref = toNotionRef(result)
        if (ref === null || seen.has(ref.id)) continue
        seen.add(ref.id)
        const object = toNotionObject(result)
        last = object?.created_time ?? last
        if (object?.in_trash !== true) yield { ...ref, object }
      }
      requests += 1
      if (requests >= MOST_REQUESTS) return
    }
    if (!isIncomplete || last === createdFrom) return
    createdFrom = last
  }
}

function queryRows(run: NotionRun, dataSourceId: string, createdFrom: string | null) {
  const query = {
    page_size: ROWS_PER_REQUEST,
    sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
    ...(createdFrom !== null && {
      filter: { timestamp: 'created_time', created_time: { on_or_after: createdFrom } },
    }),
  }
  return followPages(
    (cursor) =>
      run
        .call(`data_sources/${encodeURIComponent(dataSourceId)}/query`, List, {
          ...query,
          ...(cursor !== null && { start_cursor: cursor }),
        })
        .catch(returnIf(isUnsupported, null)),
    (page) => page?.nextCursor,
  )
}
