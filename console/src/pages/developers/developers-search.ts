/** What the address of Developers says. */
export interface DevelopersSearch {
  tab?: 'requests'
  /** Only requests of this key. */
  key?: string
  /** A status or a class of them, such as `4xx`. */
  status?: string
  /** How the path begins. */
  path?: string
}

export type RequestFilters = Omit<DevelopersSearch, 'tab'>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const STATUS = /^[2-5](?:xx|\d\d)$/
const PATH_MAX = 200

/** Values that the service would refuse are left out. */
export function readDevelopersSearch(query: Record<string, unknown>): DevelopersSearch {
  const { key, path } = query
  // A status of digits alone is read as a number from the address.
  const status = String(query.status)
  return {
    ...(query.tab === 'requests' ? { tab: 'requests' as const } : {}),
    ...(typeof key === 'string' && UUID.test(key) ? { key } : {}),
    ...(STATUS.test(status) ? { status } : {}),
    ...(typeof path === 'string' && path !== '' && path.length <= PATH_MAX ? { path } : {}),
  }
}
