import type { ProviderSession } from './adapter.ts'

const STORED_IDS_LIMIT = 1_000

/** The ids of stored items that begin with `prefix`; at most `limit` of them. */
export async function storedBelow(
  session: ProviderSession,
  prefix: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const ids: string[] = []
  for (let from = prefix; ;) {
    const page = await session.storedIds({ from, to: `${prefix}\u{10FFFF}`, limit: STORED_IDS_LIMIT })
    ids.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < STORED_IDS_LIMIT || ids.length >= limit) return ids
    from = `${last}\u0001`
  }
}
