import { type TextFormat, textFormatOf } from '../../file-text/index.ts'
import { runCooperatively } from '../../kernel/cooperative.ts'
import { type ProviderItem, ProviderError } from '../adapter.ts'
import { extractFile } from '../extract-file.ts'
import { type Crawler, targetOf } from './crawler.ts'
import type { Known } from './cursor.ts'
import type { PageAnswer } from './fetch-page.ts'
import { applyRobots, type PageLinks, readPageLinks } from './page-links.ts'

const HTML_BYTES_MAX = 5 * 1024 * 1024
const VALIDATOR_CHARACTERS_MAX = 200

/** The outcome of a request for a page. */
export interface Visit {
  bytes: number
  /** Not modified since the last one. */
  isSame?: boolean
  item?: ProviderItem
  /** Why the page has nothing to read. */
  skipped?: string
  /** The page does not exist. */
  isGone?: boolean
  /** The page that it redirects to or duplicates. */
  target?: string
  links: string[]
  validators: Pick<Known, 'e' | 'm'>
}

const NOTHING: Visit = { bytes: 0, links: [], validators: { e: null, m: null } }

/**
 * Requests a page of the site. `isOriginal`: whether a page may count as the original of this one.
 * @throws ProviderError
 */
export async function visitPage(
  crawler: Crawler,
  key: string,
  known: Known,
  isOriginal: (target: string) => boolean,
): Promise<Visit> {
  const url = crawler.site.urlOf(key)
  const answer = await crawler.get(url, {
    ...(known.e !== null && { 'if-none-match': known.e }),
    ...(known.e === null && known.m !== null && { 'if-modified-since': known.m }),
  })
  const { status } = answer
  if (status === 304) return { ...NOTHING, isSame: true }
  if (status === 404 || status === 410) return { ...NOTHING, isGone: true }
  const moved = targetOf(answer, url)
  if (moved !== null) {
    const target = crawler.site.keyOf(moved.href, url)
    if (target === key) throw new ProviderError('rejected', 'The page redirects to itself')
    // Outside the site, this page does not exist.
    return target === null ? { ...NOTHING, isGone: true } : { ...NOTHING, target, links: [target] }
  }
  if (status !== 200) throw new ProviderError('rejected', `The site answered with status ${status}`)
  return await readAnswer(crawler, key, answer, isOriginal)
}

async function readAnswer(
  crawler: Crawler,
  key: string,
  answer: PageAnswer,
  isOriginal: (target: string) => boolean,
): Promise<Visit> {
  const type = answer.header('content-type') ?? ''
  const url = crawler.site.urlOf(key)
  const named = textFormatOf(type, url.pathname)
  // Images of a site are decoration, and many.
  const format = named === 'image' ? null : named
  const page = format === 'html' ? await linksOf(crawler, answer.bytes) : null
  const said = { isIndexed: page?.isIndexed ?? true, isFollowed: page?.isFollowed ?? true }
  applyRobots(said, 'robots', answer.header('x-robots-tag') ?? '')
  const base = URL.parse(page?.base ?? '', url.href) ?? url
  const keyOf = (address: string): string | null => crawler.site.keyOf(address, base)
  const links = said.isFollowed ? (page?.links ?? []).flatMap((link) => keyOf(link) ?? []) : []
  const visit = { bytes: answer.bytes.length, links, validators: validatorsOf(answer) }
  const target = page?.canonical == null ? null : keyOf(page.canonical)
  if (target !== null && target !== key && isOriginal(target))
    return { ...visit, target, links: [...links, target] }
  if (format === null || !said.isIndexed) return visit
  return { ...visit, ...(await contentOf(crawler, key, format, answer)) }
}

async function linksOf({ session }: Crawler, bytes: Buffer): Promise<PageLinks> {
  if (bytes.length > HTML_BYTES_MAX)
    throw new ProviderError(
      'rejected',
      `The page is larger than ${HTML_BYTES_MAX / 1024 / 1024} MiB and is not read`,
    )
  return await runCooperatively(readPageLinks(bytes.toString('utf8')), session.signal)
}

async function contentOf(
  crawler: Crawler,
  key: string,
  format: TextFormat,
  answer: PageAnswer,
): Promise<Pick<Visit, 'item' | 'skipped'>> {
  const { account } = crawler.session
  const url = crawler.site.urlOf(key)
  const type = answer.header('content-type') ?? ''
  const charset = /charset="?([\w-]{1,40})/i.exec(type)?.[1] ?? null
  const { title, text } = await extractFile(crawler, {
    format,
    bytes: answer.bytes,
    charset,
    path: url.pathname,
  })
  if (text === '') return { skipped: 'The page has no text' }
  const folders = url.pathname.split('/').slice(1, -1)
  return {
    item: {
      externalId: url.href,
      sourceKind: 'document',
      title: title || account.displayName,
      body: text,
      url: url.href,
      authorName: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: dateOf(answer.header('last-modified')),
      metadata: {
        workspace: account.displayName,
        permalink: url.href,
        ...(folders.length > 0 && { folder: folders.join(' / ') }),
      },
    },
  }
}

/** Long validators would fill the cursor. */
const short = (value: string | null): string | null =>
  value !== null && value.length <= VALIDATOR_CHARACTERS_MAX ? value : null

function validatorsOf(answer: PageAnswer): Visit['validators'] {
  return { e: short(answer.header('etag')), m: short(answer.header('last-modified')) }
}

function dateOf(header: string | null): Date | null {
  const time = Date.parse(header ?? '')
  return Number.isNaN(time) ? null : new Date(time)
}
