import { readId } from '../../data/ids.ts'

export interface DevelopersSearch {
  tab?: 'requests'
  key?: string
  /** A status or a class such as `4xx`. */
  status?: string
  path?: string
  /** A day such as `2026-03-01`, in the browser's time zone. */
  day?: string
}

export type RequestFilters = Omit<DevelopersSearch, 'tab'>

const STATUS = /^[2-5](?:xx|\d\d)$/
const DAY = /^\d{4}-\d{2}-\d{2}$/
const PATH_MAX = 200

/** Omits values that the service would refuse. */
export function readDevelopersSearch(query: Record<string, unknown>): DevelopersSearch {
  const key = readId(query.key)
  const { path, day } = query
  // The router parses a status of digits as a number.
  const status = String(query.status)
  return {
    ...(query.tab === 'requests' ? { tab: 'requests' as const } : {}),
    ...(key === undefined ? {} : { key }),
    ...(STATUS.test(status) ? { status } : {}),
    ...(typeof path === 'string' && path !== '' && path.length <= PATH_MAX ? { path } : {}),
    ...(typeof day === 'string' && DAY.test(day) && !Number.isNaN(Date.parse(day)) ? { day } : {}),
  }
}
