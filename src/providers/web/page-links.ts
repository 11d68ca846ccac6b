import { Tokenizer } from 'htmlparser2'
import type { Pausable } from '../../kernel/cooperative.ts'
import { IGNORED_MARKUP } from '../../text/ignored-markup.ts'

const LINKS_MAX = 5_000
const ADDRESS_CHARACTERS_MAX = 2_048
const NAME_CHARACTERS_MAX = 40
const CHARACTERS_A_PAUSE = 16_384

/** What a page's head and links tell crawlers. */
export interface PageLinks {
  /** Addresses as written, relative to `base`. */
  links: string[]
  base: string | null
  canonical: string | null
  isIndexed: boolean
  isFollowed: boolean
}

export function* readPageLinks(html: string): Pausable<PageLinks> {
  const page: PageLinks = { links: [], base: null, canonical: null, isIndexed: true, isFollowed: true }
  yield* readTags(html, (tag, attributes) => {
    const { href = '', rel = '', name = '', content = '' } = attributes
    const address = href.length <= ADDRESS_CHARACTERS_MAX ? href.trim() : ''
    if (tag === 'meta') applyRobots(page, name, content)
    if (address === '') return
    if (tag === 'base') page.base ??= address
    else if (tag === 'link' && hasWord(rel, 'canonical')) page.canonical ??= address
    else if (tag === 'a' && page.links.length < LINKS_MAX && !hasWord(rel, 'nofollow'))
      page.links.push(address)
  })
  return page
}

/** Reads a page's open tags and attributes with a tokenizer: a parser takes quadratic time in unclosed tags. */
function* readTags(
  html: string,
  onTag: (name: string, attributes: Readonly<Record<string, string>>) => void,
): Pausable<void> {
  const wanted = new Set(['href', 'rel', 'name', 'content'])
  let tag = ''
  let attributes: Record<string, string> = {}
  let attribute = ''
  const nameAt = (from: number, to: number): string =>
    html.slice(from, Math.min(to, from + NAME_CHARACTERS_MAX)).toLowerCase()
  const add = (text: string): void => {
    const before = attributes[attribute]
    if (before !== undefined && before.length <= ADDRESS_CHARACTERS_MAX) attributes[attribute] = before + text
  }
  const end = (): void => onTag(tag, attributes)
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ...IGNORED_MARKUP,
      onopentagname(from, to) {
        tag = nameAt(from, to)
        attributes = {}
      },
      onattribname(from, to) {
        attribute = nameAt(from, to)
        // The first of two equal ones counts.
        if (!wanted.has(attribute) || attributes[attribute] !== undefined) attribute = ''
        else attributes[attribute] = ''
      },
      onattribdata: (from, to) => add(html.slice(from, Math.min(to, from + ADDRESS_CHARACTERS_MAX + 1))),
      onattribentity: (codepoint) => add(String.fromCodePoint(codepoint)),
      onopentagend: end,
      onselfclosingtag: end,
      onclosetag() {},
    },
  )
  for (let at = 0; at < html.length; at += CHARACTERS_A_PAUSE) {
    yield
    tokenizer.write(html.slice(at, at + CHARACTERS_A_PAUSE))
  }
  tokenizer.end()
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
    // Its value concerns only pictures in search results.
    .replaceAll(/max-image-preview\s{0,9}:\s{0,9}none/g, '')
    .split(/[\s,]+/)
  if (words.includes('noindex') || words.includes('none')) page.isIndexed = false
  if (words.includes('nofollow') || words.includes('none')) page.isFollowed = false
}

const hasWord = (list: string, word: string): boolean =>
  list.slice(0, 500).toLowerCase().split(/\s+/).includes(word)
