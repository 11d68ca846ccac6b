import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Pausable } from '../../kernel/cooperative.ts'

/** The protocol's own limit (https://www.sitemaps.org/protocol.html). */
const ENTRIES_MAX = 50_000
const UNPACKED_BYTES_MAX = 50 * 1024 * 1024

export interface Sitemap {
  pages: { address: string; lastModified: string }[]
  /** The sitemaps of an index. */
  sitemaps: string[]
}

/** The text of a sitemap, decompressed if it is gzipped. @throws if it is damaged or too large */
export async function unpackSitemap(bytes: Buffer): Promise<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = isPacked ? await promisify(gunzip)(bytes, { maxOutputLength: UNPACKED_BYTES_MAX }) : bytes
  return plain.toString('utf8')
}

/** The parts of an entry. A parser would take quadratic time in the depth of tags that are never closed. */
const PART =
  /<(url|sitemap)(?=[\s>])|<(loc|lastmod)>(?:\s{0,200}<!\[CDATA\[([^<\]]{1,2048})\]\]>\s{0,200}|([^<]{1,2048}))<\/|<\/(?:url|sitemap)>/g

/** Reads a sitemap or an index of sitemaps. Any other text has no entries. */
export function* readSitemap(xml: string): Pausable<Sitemap> {
  const sitemap: Sitemap = { pages: [], sitemaps: [] }
  let entry = { isPage: false, loc: '', lastmod: '' }
  for (const [, opened, field, quoted, text] of xml.matchAll(PART)) {
    yield
    if (opened !== undefined) entry = { isPage: opened === 'url', loc: '', lastmod: '' }
    else if (field === 'loc') entry.loc = (quoted ?? decoded(text ?? '')).trim()
    else if (field === 'lastmod') entry.lastmod = (quoted ?? text ?? '').trim()
    else if (entry.loc !== '') {
      const { isPage, loc, lastmod } = entry
      if (isPage) sitemap.pages.push({ address: loc, lastModified: lastmod })
      else sitemap.sitemaps.push(loc)
      entry = { isPage, loc: '', lastmod: '' }
      if (sitemap.pages.length + sitemap.sitemaps.length >= ENTRIES_MAX) break
    }
  }
  return sitemap
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const CODE_POINT_MAX = 0x10_ff_ff

/** Decodes the entities of XML. Some sites, such as those made with WordPress, write `&` as a number. */
const decoded = (text: string): string =>
  text.replaceAll(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (typeof name === 'string') return ENTITIES[name] ?? whole
      const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16)
      return code <= CODE_POINT_MAX ? String.fromCodePoint(code) : whole
    },
  )
