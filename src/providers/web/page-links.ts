import { Parser } from 'htmlparser2'
import type { Pausable } from '../../kernel/slices.ts'

const LINKS_MAX = 5_000
const ADDRESS_CHARACTERS_MAX = 2_048
const CHARACTERS_A_PAUSE = 16_384

/** What the head and the links of a page say to crawlers. */
export interface PageLinks {
  /** Addresses as written, relative to `base`. */
  links: string[]
  base: string | null
  canonical: string | null
  isIndexed: boolean
  isFollowed: boolean
}

/** Reads the links of an HTML page, and what it says to crawlers. */
export function* readPageLinks(html: string): Pausable<PageLinks> {
  const page: PageLinks = { links: [], base: null, canonical: null, isIndexed: true, isFollowed: true }
  const parser = new Parser({
    onopentag(name, attributes) {
      const { href = '', rel = '', content = '' } = attributes
      const address = href.length <= ADDRESS_CHARACTERS_MAX ? href.trim() : ''
      if (name === 'meta') applyRobots(page, attributes['name'] ?? '', content)
      if (address === '') return
      if (name === 'base') page.base ??= address
      else if (name === 'link' && hasWord(rel, 'canonical')) page.canonical ??= address
      else if (name === 'a' && page.links.length < LINKS_MAX && !hasWord(rel, 'nofollow'))
        page.links.push(address)
    },
  })
  for (let at = 0; at < html.length; at += CHARACTERS_A_PAUSE) {
    yield
    parser.write(html.slice(at, at + CHARACTERS_A_PAUSE))
  }
  parser.end()
  return page
}

/** What `X-Robots-Tag` and `<meta name="robots">` mean. A header for one crawler counts for this one too. */
export function applyRobots(
  page: Pick<PageLinks, 'isIndexed' | 'isFollowed'>,
  name: string,
  content: string,
): void {
  if (name.toLowerCase() !== 'robots') return
  const words = content
    .slice(0, 500)
    .toLowerCase()
    .split(/[\s,]+/)
  if (words.includes('noindex') || words.includes('none')) page.isIndexed = false
  if (words.includes('nofollow') || words.includes('none')) page.isFollowed = false
}

const hasWord = (list: string, word: string): boolean =>
  list.slice(0, 500).toLowerCase().split(/\s+/).includes(word)
