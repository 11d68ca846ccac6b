import type { ProviderSession } from './adapter.ts'

const IDS_A_PAGE = 1_000

/** Pages of stored ids, bytewise ascending, `from` <= id < `to` (null: unbounded); the caller may delete them meanwhile. */
export async function* storedPages(
  session: ProviderSession,
  { from, to }: { from: string; to: string | null },
): AsyncGenerator<string[]> {
  for (let start = from; ;) {
    const ids = await session.storedIds({ from: start, to, limit: IDS_A_PAGE })
    if (ids.length > 0) yield ids
    const last = ids.at(-1)
    if (last === undefined || ids.length < IDS_A_PAGE) return
    start = idAfter(last)
  }
}

/** The ids of stored items that begin with `prefix`; with `limit`, not many more. */
export async function storedBelow(
  session: ProviderSession,
  prefix: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const ids: string[] = []
  for await (const page of storedPages(session, { from: prefix, to: `${prefix}\u{10FFFF}` })) {
    ids.push(...page)
    if (ids.length >= limit) break
  }
  return ids
}

export async function isStored(session: ProviderSession, id: string): Promise<boolean> {
  return (await session.storedIds({ from: id, to: idAfter(id), limit: 1 })).length > 0
}

/** The smallest id after another: no stored text has a null character. */
export const idAfter = (id: string): string => `${id}\u0001`
