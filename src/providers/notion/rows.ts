import { returnIf } from '../adapter.ts'
import { isUnsupported, type NotionRun } from './client.ts'
import type { NotionRef } from './cursor.ts'
import { toNotionList, toNotionObject, toNotionRef, type NotionObject } from './objects.ts'

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
  let cursor: string | null = null
  let last: string | null = null
  for (let request = 0; request < MOST_REQUESTS; request += 1) {
    onRequest()
    const answer: Awaited<ReturnType<typeof queryRows>> = await queryRows(
      run,
      dataSourceId,
      createdFrom,
      cursor,
    )
    if (answer === null) return
    for (const result of answer.results) {
      const ref = toNotionRef(result)
      if (ref === null || seen.has(ref.id)) continue
      seen.add(ref.id)
      const object = toNotionObject(result)
      last = object?.created_time ?? last
      if (object?.in_trash !== true) yield { ...ref, object }
    }
    const next: string | null = answer.nextCursor
    if (next !== null && next !== cursor) {
      cursor = next
      continue
    }
    if (!answer.isIncomplete || last === null || last === createdFrom) return
    createdFrom = last
    cursor = null
  }
}

async function queryRows(
  run: NotionRun,
  dataSourceId: string,
  createdFrom: string | null,
  cursor: string | null,
) {
  const filter = createdFrom === null ? {} : { filter: createdSince(createdFrom) }
  const query = (auth: string) =>
    run.client.dataSources.query({
      auth,
      data_source_id: dataSourceId,
      page_size: ROWS_PER_REQUEST,
      sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
      ...filter,
      ...(cursor === null ? {} : { start_cursor: cursor }),
    })
  return await run.call(async (auth) => toNotionList(await query(auth))).catch(returnIf(isUnsupported, null))
}

const createdSince = (time: string) => ({
  timestamp: 'created_time' as const,
  created_time: { on_or_after: time },
})
