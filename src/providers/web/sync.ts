import { createOutageGuard } from '../outage-guard.ts'
import {
  type ChangePage,
  type ItemRead,
  type JsonValue,
  type ListChangesInput,
  ProviderError,
  type ProviderSession,
} from '../adapter.ts'
import { MINUTE_MS } from '../../kernel/clock.ts'
import { runCooperatively, type Pausable } from '../../kernel/cooperative.ts'
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
  note(await visitPage(crawler, key, NEVER_READ, (target) => pages[target]?.t !== key), externalId, step)
  return step
}

/** Queues the start pages, those that are new or changed in the sitemap, and those requested longest ago. */
async function beginRound(crawler: Crawler, state: Cursor): Promise<void> {
  if (state.round !== null) return
  const { settings, session, robots } = crawler
  const { pages } = state
  const round = { queue: [] as string[], bytes: 0 }
  state.round = round
  const now = secondsOf(session)
  const sitemaps = await readSitemaps(crawler)
  const dated = await runCooperatively(datesOf(sitemaps, crawler), session.signal)
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

/** The dates of the site's pages in its sitemaps, by key. */
function* datesOf(
  sitemaps: ReadonlyMap<string, string>,
  { site, settings }: Crawler,
): Pausable<Map<string, string>> {
  const origin = new URL(settings.origin)
  const dated = new Map<string, string>()
  for (const [address, date] of sitemaps) {
    yield
    const key = site.keyOf(address, origin)
    if (key !== null) dated.set(key, date)
  }
  return dated
}

/** Requests the next page of the queue and records the result. */
function createVisitor(crawler: Crawler, state: Cursor): (step: SiteStep) => Promise<void> {
  const { session, site, robots, settings } = crawler
  const guard = createOutageGuard(session.signal)
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
    known.c = secondsOf(session)
    try {
      const visit = await visitPage(crawler, key, known, (target) => state.pages[target]?.t !== key)
      guard.passed()
      if (visit.isGone === true && state.crawl !== null && key === settings.start[0])
        throw new ProviderError('rejected', `The start page ${externalId} does not exist`)
      note(visit, externalId, step)
      remember(visit, key, state)
      const wanted = { most: settings.pagesMax, isWanted: robots.allows }
      await runCooperatively(addingPages(state, visit.links, wanted), session.signal)
      state.round.bytes += visit.bytes
    } catch (error) {
      // A crawl that cannot begin must not remove what it does not see.
      if (state.crawl !== null && key === settings.start[0]) throw error
      step.failures.push(guard.failureOf(externalId, error))
    }
    if (state.round.bytes <= ROUND_BYTES_MAX) return
    const message = `The site is larger than ${ROUND_BYTES_MAX / 1024 / 1024} MiB; the rest is not read`
    step.skipped.push({ externalId: settings.origin, message })
    state.round.queue = []
  }
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
  if (visit.isGone === true) {
    delete pages[key]
    return
  }
  pages[key] = { ...known, ...visit.validators, t: visit.target ?? null }
}

const secondsOf = ({ clock }: ProviderSession): number => Math.floor(clock.now().getTime() / 1_000)
