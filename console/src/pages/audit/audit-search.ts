const FIELDS = ['action', 'actor', 'target', 'from', 'to'] as const

/** The search parameters of the Audit page. The page validates them, so that the entry bundle omits the actions. */
export type AuditSearch = Partial<Record<(typeof FIELDS)[number], string>>

/** The router parses digits as a number. */
export function readAuditSearch(query: Record<string, unknown>): AuditSearch {
  const search: AuditSearch = {}
  for (const name of FIELDS) {
    const value = query[name]
    if (typeof value === 'string' || typeof value === 'number') search[name] = String(value)
  }
  return search
}
