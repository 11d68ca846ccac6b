import { within } from '../background/index.ts'
import { Copies, type CopiesOptions, type Entry } from './copies.ts'
import type { ItemScope } from './item-facts.ts'
import { encodeQuestion } from './question.ts'
import type { CopyOf } from './read-rows.ts'
import type { Proposal } from './scan.ts'
import { type Candidate, changing, isChanging, type Stage, type VectorCopy } from './vector-copy.ts'

/** A row that may be near to a question. */
export interface Proposed extends Candidate {
  /** So similar is it at most. */
  atMost: number
}

/** What may be nearest to a question, and how near all else is at most. */
export interface Candidates {
  /** Those that may be the most similar come first. */
  keys: Proposed[]
  /** What is no candidate is less similar than this; 0: it is not similar at all. */
  floor: number
  /** What of the items this is of. */
  stage: Stage
  copy: WholeCopy
}

/** All that a copy holds; the same object for as long as there is the copy. */
export interface WholeCopy {
  /** Of this moment. */
  readonly stage: Stage
  /** Rows, some of which may be empty. */
  readonly rows: number
  /** How many rows were taken in so far, those that took another one's place too. */
  readonly written: number
  /** How many numbers the vectors of so many rows have. */
  readonly vectorNumbers: number
  /** The chunks of the rows from one to before another; none once the copy is given up. */
  candidates(from: number, to: number): Candidate[]
  /**
   * Does something in the background, for which the copy is kept and which leaves it as it is; a stop ends it. Where it fails,
   * the memory's `onError` is told.
   */
  later(act: (signal: AbortSignal) => Promise<void>): void
}

/** A copy that is kept while it is held. */
export interface HeldCopy {
  /** It is not kept for others any more. */
  readonly isGivenUp: boolean
  /** Of what has changed since, a search compares no more chunks than these. */
  readonly comparedMax: number
  /**
   * All rows in scope that may be among the `limit` nearest to a vector.
   * @returns null where too many are equally near
   */
  candidates(vector: Float32Array, limit: number, scope: ItemScope): Promise<Candidates | null>
  /** How many rows are in scope. */
  count(scope: ItemScope): number
  /** Waits while it is changing. @returns whether that was done soon enough */
  settle(): Promise<boolean>
  /** Takes in what has changed since. @returns whether that was done soon enough */
  follow(): Promise<boolean>
  /** The same in the background, where that is not under way. */
  followLater(): void
  letGo(): void
}

/** Copies of organizations' vectors in the process's memory. The database stays the truth: what a copy proposes it decides. */
export interface VectorMemory {
  /** null: it is not held, or not yet, and the database has to answer. Never rejects. */
  take(of: CopyOf & { dimensions: number }): Promise<HeldCopy | null>
  held(): { bytes: number; organizations: number }
  /** Gives up the copies of organizations that are gone, or being removed. */
  forgetRemoved(): Promise<void>
  /** Begins to take up what the last stop has saved. */
  start(): void
  /** Ends what is being loaded and the threads, and saves what is held. */
  close(): Promise<void>
}

export interface VectorMemoryOptions extends CopiesOptions {
  /**
   * How long a search waits in milliseconds for a copy that is being made, and for one that follows; then the database answers.
   * Where that takes long, and keeps all others waiting, a search does better to wait. It waits for none where no more chunks than
   * `comparedMax` have changed: it compares these, and the copy follows after it.
   */
  patience: { loadMs: number; followMs: number; comparedMax: number }
}

/** @returns the memory, empty; a copy is made when an organization is first searched */
export function createVectorMemory(options: VectorMemoryOptions): VectorMemory {
  const { patience } = options
  const copies = new Copies(options)
  const wholes = new WeakMap<Entry, WholeCopy>()
  const wholeOf = (entry: Entry): WholeCopy => {
    const whole = wholes.get(entry) ?? wholeCopy(copies, entry)
    wholes.set(entry, whole)
    return whole
  }
  return {
    async take({ dimensions, ...of }) {
      const entry = copies.find(of, dimensions)
      if (entry === null) return null
      if (!entry.isReady && patience.loadMs > 0) await within(patience.loadMs, entry.ready)
      return entry.isReady && !entry.isDropped
        ? hold(copies, { entry, whole: wholeOf(entry), patience })
        : null
    },
    held: () => copies.held(),
    forgetRemoved: () => copies.forgetRemoved(),
    start: () => copies.start(),
    close: () => copies.close(),
  }
}

function wholeCopy(copies: Copies, entry: Entry): WholeCopy {
  return {
    get stage() {
      return entry.copy.stage
    },
    get vectorNumbers() {
      return entry.copy.rows * entry.copy.layout.dimensions
    },
    get rows() {
      return entry.copy.rows
    },
    get written() {
      return entry.copy.written
    },
    candidates(from, to) {
      if (entry.isDropped) return []
      const rows = Array.from(
        { length: Math.max(0, Math.min(to, entry.copy.rows) - from) },
        (_, at) => from + at,
      )
      return rows.map((row) => entry.copy.candidateOf(row)).filter(({ itemId }) => itemId !== '')
    },
    later: (act) => copies.later(entry, act),
  }
}

function proposedOf(copy: VectorCopy, { rows, uppers }: Proposal): Proposed[] {
  const proposed: Proposed[] = []
  for (const [at, row] of rows.entries()) {
    const { itemId, position, version } = copy.candidateOf(row)
    if (itemId !== '') proposed.push({ itemId, position, version, atMost: uppers[at] ?? 1 })
  }
  return proposed.toSorted((one, other) => other.atMost - one.atMost)
}

function hold(
  copies: Copies,
  { entry, whole, patience }: { entry: Entry; whole: WholeCopy; patience: VectorMemoryOptions['patience'] },
): HeldCopy {
  const { copy } = entry
  const { followMs, comparedMax } = patience
  copies.take(entry)
  return {
    get isGivenUp() {
      return entry.isDropped
    },
    comparedMax,
    async candidates(vector, limit, scope) {
      const { stage } = copy
      const question = encodeQuestion(vector, copy.layout)
      if (question === null || copy.blocks.length === 0) return { keys: [], floor: 0, stage, copy: whole }
      const proposal = await copies.scan(copy, { question, allowed: copy.facts.allowed(scope), limit })
      if (proposal === null) return null
      // A row may have gone while others were looked at: then this is of nothing that there was.
      const keys = proposedOf(copy, proposal)
      return { keys, floor: proposal.floor, stage: copy.stage === stage ? stage : changing(), copy: whole }
    },
    count: (scope) => copy.facts.countRows(scope),
    async settle() {
      if (isChanging(copy.stage) && entry.following) await within(followMs, entry.following)
      return !entry.isDropped && !isChanging(copy.stage)
    },
    async follow() {
      const isDone = await within(followMs, copies.follow(entry))
      return isDone && !entry.isDropped
    },
    followLater() {
      if (entry.following === null) void copies.follow(entry)
    },
    letGo: () => copies.letGo(entry),
  }
}
