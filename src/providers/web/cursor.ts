import { z } from 'zod'
import type { Pausable } from '../../kernel/cooperative.ts'
import { ProviderError, type JsonValue } from '../adapter.ts'
import { PAGES_MAX, type WebSite } from './form.ts'

/** The state of a page. Its names are short, because every step of a run saves a cursor with thousands of pages. */
const Known = z.object({
  /** When it was last requested, in epoch seconds; 0: not yet. */
  c: z.number(),
  /** Its ETag and Last-Modified. */
  e: z.string().nullable(),
  m: z.string().nullable(),
  /** Its date in the sitemap, as written. */
  s: z.string().nullable(),
  /** The page that it redirects to or is a copy of. */
  t: z.string().nullable(),
  /** How often in a row it did not exist. */
  g: z.number().default(0),
})
export type Known = z.output<typeof Known>
export const NEVER_READ: Known = { c: 0, e: null, m: null, s: null, t: null, g: 0 }

const Cursor = z.object({
  /** The site's settings: other ones need a crawl. */
  site: z.string(),
  /** The name of a full crawl, while it lasts. */
  crawl: z.string().nullable(),
  /** The pages that are still to be requested, and how much was received; null between rounds. */
  round: z
    .object({
      queue: z.array(z.string()),
      bytes: z.number(),
      /** Whether something could not be read that may link to further pages. */
      isPartial: z.boolean().default(false),
    })
    .nullable(),
  pages: z.record(z.string(), Known),
})
export type Cursor = z.output<typeof Cursor>

export function startCursor(site: WebSite, crawl: string): Cursor {
  return { site: JSON.stringify(site), crawl, round: null, pages: {} }
}

/** @throws ProviderError `cursor_expired` when only a crawl can continue */
export function parseCursor(cursor: JsonValue, site: WebSite): Cursor {
  const { data } = Cursor.safeParse(cursor)
  if (data === undefined || data.site !== JSON.stringify(site))
    throw new ProviderError('cursor_expired', 'The settings of the site have changed')
  return data
}

/** Adds pages to those to request, unless they are known or the site has too many. `isWanted` can take long. */
export function* addingPages(
  { pages, round }: Cursor,
  keys: Iterable<string>,
  { most, isWanted }: { most: number; isWanted: (key: string) => boolean },
): Pausable<void> {
  let room: number | null = null
  for (const key of keys) {
    yield
    if (Object.hasOwn(pages, key)) continue
    room ??= roomFor(pages, most)
    if (room <= 0) return
    if (!isWanted(key)) continue
    pages[key] = { ...NEVER_READ }
    round?.queue.push(key)
    room -= 1
  }
}

/** Missing pages take no room of others, but their number is limited too. */
function roomFor(pages: Cursor['pages'], most: number): number {
  const all = Object.values(pages)
  const existing = all.filter(({ g }) => g === 0)
  return Math.min(Math.min(most, PAGES_MAX) - existing.length, 2 * PAGES_MAX - all.length)
}
