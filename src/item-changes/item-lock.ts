import type { Db } from '../database/database.ts'

/** The callers that use an organization's items or wait for them. */
interface Line {
  /** Settles when all holders up to now have ended. */
  held: Promise<unknown>
  /** Callers that joined to share since then. */
  sharing: Set<Promise<unknown>>
  /** Running and waiting callers. */
  size: number
}

/** Returned to a caller that has to finish earlier work first. */
const AGAIN = Symbol('again')

/** A lock on each organization's items within the process, in arrival order; single transactions share it. */
export class ItemLock {
  readonly #lines = new Map<string, Line>()
  readonly #unfinished = new Map<string, () => Promise<void>>()

  /** Runs `act` beside other sharers. @throws what `act` throws, or the error that keeps earlier work unfinished */
  async shared<Result>(organizationId: string, act: () => Promise<Result>): Promise<Result> {
    return await this.#run(organizationId, act, this.#joinShared)
  }

  /** Runs `act` exclusively. @throws what `act` throws, or the error that keeps earlier work unfinished */
  async exclusive<Result>(organizationId: string, act: () => Promise<Result>): Promise<Result> {
    return await this.#run(organizationId, act, this.#joinExclusive)
  }

  /** Work that the next caller must finish first; if it throws, the caller after that runs it again. */
  leaveUnfinished(organizationId: string, finish: () => Promise<void>): void {
    this.#unfinished.set(organizationId, finish)
  }

  /** Finishes an organization's unfinished work, if any. @throws why that failed */
  async finish(organizationId: string): Promise<void> {
    await this.#enter(organizationId, this.#joinExclusive, async () => {
      await this.#unfinished.get(organizationId)?.()
      this.#unfinished.delete(organizationId)
    })
  }

  unfinished(): string[] {
    return [...this.#unfinished.keys()]
  }

  async #run<Result>(organizationId: string, act: () => Promise<Result>, join: Join): Promise<Result> {
    for (;;) {
      if (this.#unfinished.has(organizationId)) await this.finish(organizationId)
      const result = await this.#enter(organizationId, join, async () =>
        // An earlier caller may have left work while this one waited.
        this.#unfinished.has(organizationId) ? AGAIN : await act(),
      )
      if (result !== AGAIN) return result
    }
  }

  readonly #joinShared: Join = (line, ended) => {
    line.sharing.add(ended)
    void ended.then(() => line.sharing.delete(ended))
    return line.held
  }

  readonly #joinExclusive: Join = (line, ended) => {
    const before = Promise.all([line.held, ...line.sharing])
    line.held = ended
    line.sharing = new Set()
    return before
  }

  async #enter<Result>(organizationId: string, join: Join, act: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(organizationId) ?? { held: Promise.resolve(), sharing: new Set(), size: 0 }
    this.#lines.set(organizationId, line)
    line.size += 1
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    try {
      await join(line, ended)
      return await act()
    } finally {
      end()
      line.size -= 1
      if (line.size === 0) this.#lines.delete(organizationId)
    }
  }
}

/** Queues a caller whose turn ends when `ended` resolves. @returns a promise of its turn */
type Join = (line: Line, ended: Promise<void>) => Promise<unknown>

const locks = new WeakMap<Db, ItemLock>()

/** The lock on a database's items. */
export function itemLockOf(db: Db): ItemLock {
  const known = locks.get(db) ?? new ItemLock()
  locks.set(db, known)
  return known
}
