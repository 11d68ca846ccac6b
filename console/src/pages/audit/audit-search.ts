const FIELDS = ['action', 'actor', 'target', 'from', 'to'] as const

/** What the address of Audit says. The page reads its filters from it: the list of actions is no part of the first view. */
export type AuditSearch = Partial<Record<(typeof FIELDS)[number], string>>

/** Digits alone are read as a number from the address. */
export function readAuditSearch(query: Record<string, unknown>): AuditSearch {
  const search: AuditSearch = {}
  for (const name of FIELDS) {
    const value = query[name]
    if (typeof value === 'string' || typeof value === 'number') search[name] = String(value)
  }
  return search
}
