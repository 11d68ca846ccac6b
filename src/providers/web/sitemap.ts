import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Parser } from 'htmlparser2'
import type { Pausable } from '../../kernel/slices.ts'

/** The protocol's own limit (https://www.sitemaps.org/protocol.html). */
const ENTRIES_MAX = 50_000
const TEXT_CHARACTERS_MAX = 2_048
const CHARACTERS_A_PAUSE = 16_384
const UNPACKED_BYTES_MAX = 50 * 1024 * 1024

export interface Sitemap {
  pages: { address: string; lastModified: string }[]
  /** Of an index: its sitemaps. */
  sitemaps: string[]
}

/** Unpacks a sitemap that is stored packed. @throws when it is none, or too large */
export async function unpackSitemap(bytes: Buffer): Promise<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  const plain = isPacked ? await promisify(gunzip)(bytes, { maxOutputLength: UNPACKED_BYTES_MAX }) : bytes
  return plain.toString('utf8')
}

/** Reads a sitemap or an index of sitemaps. What is not one has no entries. */
export function* readSitemap(xml: string): Pausable<Sitemap> {
  const sitemap: Sitemap = { pages: [], sitemaps: [] }
  let field: 'loc' | 'lastmod' | null = null
  let entry = { loc: '', lastmod: '' }
  const parser = new Parser(
    {
      onopentagname(name) {
        if (name === 'url' || name === 'sitemap') entry = { loc: '', lastmod: '' }
        field = name === 'loc' || name === 'lastmod' ? name : null
      },
      ontext(text) {
        if (field !== null && entry[field].length < TEXT_CHARACTERS_MAX) entry[field] += text
      },
      onclosetag(name) {
        field = null
        if (sitemap.pages.length + sitemap.sitemaps.length >= ENTRIES_MAX) return
        const [address, lastModified] = [entry.loc.trim(), entry.lastmod.trim()]
        if (name === 'url' && address !== '') sitemap.pages.push({ address, lastModified })
        if (name === 'sitemap' && address !== '') sitemap.sitemaps.push(address)
      },
    },
    { xmlMode: true },
  )
  for (let at = 0; at < xml.length; at += CHARACTERS_A_PAUSE) {
    yield
    parser.write(xml.slice(at, at + CHARACTERS_A_PAUSE))
  }
  parser.end()
  return sitemap
}
