import { createOutageGuard } from '../outage-guard.ts'
import { storedBelow } from '../stored-ids.ts'
import {
  type ChangePage,
  type ItemRead,
  type JsonValue,
  type ListChangesInput,
  ProviderError,
  type ProviderSession,
} from '../adapter.ts'
import { MINUTE_MS } from '../../kernel/clock.ts'
import { runCooperatively } from '../../kernel/cooperative.ts'
import { type Crawler, readSitemaps } from './crawler.ts'
import { crawlName, emptyStep, type Step } from '../run-state.ts'
import { addingPages, type Cursor, NEVER_READ, parseCursor, startCursor } from './cursor.ts'
import type { WebSite } from './form.ts'
import { type Visit, visitPage } from './visit.ts'

/** A page is requested again only after this time, unless the sitemap has a new date for it. */
const FRESH_SECONDS = 6 * 3_600
/** How long a run requests pages that it has read before. */
const REVISIT_MS = 30 * MINUTE_MS
const ROUND_BYTES_MAX = 512 * 1024 * 1024
/** How often in a row a page must be missing until it is requested only where it is linked anew. */
const MISSING_MAX = 3

interface SiteStep extends Step {
  unchanged: number
}

/** The pages of a run, which requests new and old pages and follows their links. */
export async function* syncSite(
  session: ProviderSession,
  { cursor }: ListChangesInput,
  settings: WebSite,
  { begin, perPage }: { begin: () => Promise<Crawler>; perPage: number },
): AsyncGenerator<ChangePage> {
  session.signal.throwIfAborted()
  const state = cursor === null ? startCursor(settings, crawlName(session)) : parseCursor(cursor, settings)
  const crawler = await begin()
  await beginRound(crawler, state)
  const visit = createVisitor(crawler, state)
  for (let isLast = false; !isLast;) {
    const step: SiteStep = { ...emptyStep(), unchanged: 0 }
    while (step.discovered < perPage && state.round !== null && state.round.queue.length > 0)
      await visit(step)
    await addUnreached(crawler, state)
    isLast = state.round === null || state.round.queue.length === 0
    const { crawl: snapshot } = state
    if (isLast) Object.assign(state, { round: null, crawl: null })
    yield { ...step, cursor: structuredClone(state), complete: isLast, snapshot }
  }
}

/** One stored page, requested again whatever its ETag. */
export async function readSitePage(
  crawler: Crawler,
  externalId: string,
  cursor: JsonValue | null,
): Promise<ItemRead> {
  const step: SiteStep = { ...emptyStep(), unchanged: 0 }
  const { site, robots, settings } = crawler
  const key = site.keyOf(externalId, new URL(settings.origin))
  if (key === null || !robots.allows(key)) return { ...step, deletions: [externalId] }
  const { pages } = cursor === null ? startCursor(settings, '') : parseCursor(cursor, settings)
  note(await visitPage(crawler, key, NEVER_READ, originals(pages, key)), externalId, step)
  return step
}

/** Whether a page may count as the original of a copy: it exists, and does not itself lead to the copy. */
const originals =
  (pages: Cursor['pages'], copy: string) =>
  (target: string): boolean =>
    pages[target]?.t !== copy && (pages[target]?.g ?? 0) === 0

/** Queues the start pages, those that are new or changed in the sitemap, and those requested longest ago. */
async function beginRound(crawler: Crawler, state: Cursor): Promise<void> {
  if (state.round !== null) return
  const { settings, session, robots } = crawler
  const { pages } = state
  const { dates: dated, isPartial } = await readSitemaps(crawler)
  const round = { queue: [] as string[], bytes: 0, isPartial }
  state.round = round
  const now = secondsOf(session)
  const isNews = (key: string): boolean =>
    dated.size > 0 && (pages[key]?.s ?? null) !== (dated.get(key) ?? null)
  const known = Object.entries(pages).toSorted(([, one], [, other]) => one.c - other.c)
  const mostRevisits = Math.floor(REVISIT_MS / crawler.delayMs)
  const old = known.filter(([, page]) => page.c + FRESH_SECONDS <= now).slice(0, mostRevisits)
  const due = new Set(old.map(([key]) => key))
  for (const [key] of known) if (due.has(key) || isNews(key)) round.queue.push(key)
  const wanted = { most: settings.pagesMax, isWanted: robots.allows }
  await runCooperatively(addingPages(state, [...settings.start, ...dated.keys()], wanted), session.signal)
  if (dated.size === 0) return
  for (const [key, page] of Object.entries(pages)) page.s = dated.get(key) ?? null
}

/**
 * At the end of a crawl that could not read something, queues the stored pages that it has not reached: they may be
 * linked only there, and the end of the crawl removes what it has not seen.
 */
async function addUnreached({ site, settings, session, robots }: Crawler, state: Cursor): Promise<void> {
  if (state.crawl === null || !state.round?.isPartial || state.round.queue.length > 0) return
  state.round.isPartial = false
  const origin = new URL(settings.origin)
  const stored = await storedBelow(session, `${settings.origin}/`)
  const keys = stored.flatMap((id) => site.keyOf(id, origin) ?? [])
  const wanted = { most: settings.pagesMax, isWanted: robots.allows }
  await runCooperatively(addingPages(state, keys, wanted), session.signal)
}

/** Requests the next page of the queue and records the result. */
function createVisitor(crawler: Crawler, state: Cursor): (step: SiteStep) => Promise<void> {
  const { session, site, robots, settings } = crawler
  const guard = createOutageGuard(session.signal, () => crawler.get(site.urlOf('/robots.txt')))
  const start = createStartCheck(crawler)
  const reread = new Set<string>()
  return async (step) => {
    const key = state.round?.queue.shift()
    const known = state.pages[key ?? '']
    if (key === undefined || known === undefined || state.round === null) return
    session.signal.throwIfAborted()
    step.discovered += 1
    const externalId = site.urlOf(key).href
    if (!robots.allows(key)) {
      delete state.pages[key]
      step.deletions.push(externalId)
      return
    }
    const before = { ...known }
    known.c = secondsOf(session)
    let visit: Visit
    try {
      visit = await visitPage(crawler, key, before, originals(state.pages, key))
      guard.passed()
    } catch (error) {
      // A crawl that cannot begin must not remove what it does not see.
      if (state.crawl !== null && key === start.key) throw error
      step.failures.push(await guard.failureOf(externalId, error))
      state.round.isPartial = true
      return
    }
    await start.check(key, visit)
    note(visit, externalId, step)
    remember(visit, key, state)
    for (const copy of copiesOf(visit, key, state.pages)) {
      if (reread.has(copy)) continue
      reread.add(copy)
      Object.assign(state.pages[copy] ?? {}, { e: null, m: null })
      state.round.queue.push(copy)
    }
    const wanted = { most: settings.pagesMax, isWanted: robots.allows }
    await runCooperatively(addingPages(state, visit.links, wanted), session.signal)
    state.round.bytes += visit.bytes
    if (state.round.bytes <= ROUND_BYTES_MAX) return
    const message = `The site is larger than ${ROUND_BYTES_MAX / 1024 / 1024} MiB; the rest is not read`
    step.skipped.push({ externalId: settings.origin, message })
    state.round.queue = []
  }
}

/** Checks the start pages when a page is missing: a site that was switched off or has moved must not lose its pages. */
function createStartCheck(crawler: Crawler) {
  const { settings, site, robots } = crawler
  const keys = settings.start.filter((one) => robots.allows(one))
  const [key = '/'] = keys
  let isThere = false
  return {
    key,
    async check(visited: string, { isGone }: Visit): Promise<void> {
      isThere ||= isGone !== true && keys.includes(visited)
      if (isThere || isGone !== true) return
      for (const one of keys) {
        const visit = await visitPage(crawler, one, NEVER_READ, () => false)
        isThere = visit.isGone !== true
        if (isThere) return
      }
      const words = 'does not exist or redirects to a page that is not read'
      throw new ProviderError('rejected', `The start page ${site.urlOf(key).href} ${words}`)
    },
  }
}

/** The copies of a page that is none, or that leads back to them: they must be read themselves. */
function copiesOf({ isGone, target }: Visit, key: string, pages: Cursor['pages']): string[] {
  if (isGone !== true && target === undefined) return []
  return Object.keys(pages).filter((copy) => pages[copy]?.t === key && (isGone === true || target === copy))
}

function note(visit: Visit, externalId: string, step: SiteStep): void {
  if (visit.isSame === true) {
    step.unchanged += 1
    return
  }
  if (visit.item !== undefined) step.upserts.push(visit.item)
  else step.deletions.push(externalId)
  if (visit.skipped !== undefined) step.skipped.push({ externalId, message: visit.skipped })
}

function remember(visit: Visit, key: string, { pages }: Cursor): void {
  const known = pages[key]
  if (known === undefined || visit.isSame === true) return
  // A page may be missing for a while, and the pages that link to it need not change for it to return.
  if (visit.isGone !== true) pages[key] = { ...known, ...visit.validators, t: visit.target ?? null, g: 0 }
  else if (known.g + 1 < MISSING_MAX) pages[key] = { ...NEVER_READ, c: known.c, s: known.s, g: known.g + 1 }
  else delete pages[key]
}

const secondsOf = ({ clock }: ProviderSession): number => Math.floor(clock.now().getTime() / 1_000)
