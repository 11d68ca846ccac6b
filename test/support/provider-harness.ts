import { firstIndex } from '../../emulators/kit/first-index.ts'
import {
  DEFAULT_PROVIDER_LIMITS,
  type AccessPolicy,
  type ChangePage,
  type ItemFailure,
  type ItemRead,
  type JsonValue,
  type ProviderAdapter,
  type ProviderItem,
  type ProviderLimits,
  type ProviderSession,
  type PushState,
} from '../../src/providers/adapter.ts'
import type { SourceSettings } from '../../src/providers/source-settings.ts'

/** The settings of a new source. */
export const DEFAULT_SETTINGS: SourceSettings = { channelAllowlist: null }

export interface HarnessOptions {
  adapter: ProviderAdapter
  /** Answers the session's `accessToken`; receives the refused token, if any. */
  accessToken: (refused?: string) => string | Promise<string>
  account: { externalAccountId: string; displayName: string }
  limits?: Partial<ProviderLimits>
  extra?: ProviderSession['extra']
  signal?: AbortSignal
  /** The initial time of the clock, in epoch milliseconds. Waiting advances it. */
  now?: number
  /** The clock of another harness, to share instead. */
  clock?: { now: number }
}

export interface RunOptions {
  allowlist?: string[] | null
  push?: PushState
  fullResync?: boolean
  /** Dies after this many pages have been stored. */
  dieAfter?: number
  /** Dies with the next page read but not stored. */
  losePage?: boolean
}

export interface RunReport {
  pages: number
  /** Items that were new or different. */
  ingested: string[]
  deleted: string[]
  failures: ItemFailure[]
  skipped: ItemFailure[]
  discovered: number
  /** Whether the last page was complete. */
  complete: boolean
}

export interface ProviderHarness {
  readonly items: Map<string, ProviderItem>
  readonly cursor: JsonValue | null
  /** Simulated time spent waiting so far, in milliseconds. */
  readonly waitedMs: number
  readonly session: ProviderSession
  now: number
  run(options?: RunOptions): Promise<RunReport>
  /** Reads one stored item apart from the runs, and stores what came of it. */
  reread(externalId: string): Promise<ItemRead>
  /** The bodies of all items, sorted. */
  bodies(): string[]
}

/**
 * An in-memory engine for an adapter: applies pages by the port's rules, saves the cursor as JSON, dies on demand.
 * Fails when an adapter breaks the rules.
 */
export function createProviderHarness(options: HarnessOptions): ProviderHarness {
  const items = new SortedItems()
  const seenIn = new Map<string, string | null>()
  let savedCursor: string | null = null
  const clock = options.clock ?? { now: options.now ?? Date.UTC(2026, 1, 1) }
  let waitedMs = 0

  const session: ProviderSession = {
    accessToken: async (refused) => await options.accessToken(refused),
    account: options.account,
    extra: options.extra ?? {},
    signal: options.signal ?? new AbortController().signal,
    clock: { now: () => new Date(clock.now) },
    wait: async (ms) => {
      clock.now += ms
      waitedMs += ms
    },
    random: () => 0.5,
    // Long, because a busy machine answers late; tests of slow answers set their own.
    limits: { ...DEFAULT_PROVIDER_LIMITS, requestTimeoutMs: 60_000, ...options.limits },
    storedIds: async ({ from, to, limit }) => items.idsBetween(from, to, limit),
  }

  function apply(page: ChangePage, report: RunReport): void {
    for (const id of page.deletions) if (items.delete(id)) report.deleted.push(id)
    for (const item of page.upserts) {
      if (JSON.stringify(items.get(item.externalId)) !== JSON.stringify(item))
        report.ingested.push(item.externalId)
      items.set(item.externalId, structuredClone(item))
      seenIn.set(item.externalId, page.snapshot)
    }
    for (const { externalId, accessPolicy } of page.failures) {
      seenIn.set(externalId, page.snapshot)
      if (accessPolicy !== undefined) setReaders(items.get(externalId), accessPolicy)
    }
    if (page.complete && page.snapshot !== null) {
      for (const id of items.keys()) {
        if (seenIn.get(id) !== page.snapshot && items.delete(id)) report.deleted.push(id)
      }
    }
    report.pages += 1
    report.failures.push(...page.failures)
    report.skipped.push(...(page.skipped ?? []))
    report.discovered += page.discovered
    report.complete = page.complete
    savedCursor = JSON.stringify(page.cursor)
  }

  async function run(runOptions: RunOptions = {}): Promise<RunReport> {
    const report: RunReport = {
      pages: 0,
      ingested: [],
      deleted: [],
      failures: [],
      skipped: [],
      discovered: 0,
      complete: false,
    }
    if (runOptions.fullResync) savedCursor = null
    const cursor: JsonValue | null = savedCursor === null ? null : JSON.parse(savedCursor)
    const pages = options.adapter.listChanges(session, {
      cursor,
      settings: { ...DEFAULT_SETTINGS, channelAllowlist: runOptions.allowlist ?? null },
      ...(runOptions.push ? { push: runOptions.push } : {}),
    })
    for await (const page of pages) {
      if (report.complete) throw new Error('a page came after the complete one')
      if (runOptions.losePage && report.pages === runOptions.dieAfter) return report
      apply(page, report)
      if (!runOptions.losePage && report.pages === runOptions.dieAfter) return report
    }
    if (!report.complete) throw new Error('the last page was not complete')
    return report
  }

  async function reread(externalId: string): Promise<ItemRead> {
    if (options.adapter.readItem === undefined) throw new Error('it reads no single items')
    const cursor: JsonValue | null = savedCursor === null ? null : JSON.parse(savedCursor)
    const read = await options.adapter.readItem(session, { externalId, cursor })
    for (const id of read.deletions) items.delete(id)
    for (const item of read.upserts) items.set(item.externalId, structuredClone(item))
    return read
  }

  return {
    items,
    get cursor() {
      return savedCursor === null ? null : JSON.parse(savedCursor)
    },
    get waitedMs() {
      return waitedMs
    },
    get now() {
      return clock.now
    },
    set now(value) {
      clock.now = value
    },
    session,
    run,
    reread,
    bodies: () => [...items.values()].map((item) => item.body).toSorted(),
  }
}

function setReaders(item: ProviderItem | undefined, accessPolicy: AccessPolicy | null): void {
  if (item === undefined) return
  if (accessPolicy === null) delete item.metadata.accessPolicy
  else item.metadata.accessPolicy = accessPolicy
}

/** Items by id. Ids are sorted once per change, because connectors ask for many ranges. */
class SortedItems extends Map<string, ProviderItem> {
  #sorted: string[] | null = null

  override set(id: string, item: ProviderItem): this {
    if (!this.has(id)) this.#sorted = null
    return super.set(id, item)
  }

  override delete(id: string): boolean {
    const isStored = super.delete(id)
    if (isStored) this.#sorted = null
    return isStored
  }

  override clear(): void {
    super.clear()
    this.#sorted = null
  }

  idsBetween(from: string, to: string | null, limit: number): string[] {
    const sorted = (this.#sorted ??= [...this.keys()].toSorted((left, right) => (left < right ? -1 : 1)))
    const start = firstIndex(sorted, (id) => id >= from)
    const end = to === null ? sorted.length : firstIndex(sorted, (id) => id >= to)
    return sorted.slice(start, Math.min(end, start + limit))
  }
}
