import type { Db } from '../database/database.ts'

/** Who of an organization is at its items, or waits for them. */
interface Line {
  /** Settles when all have ended that came to hold them. */
  held: Promise<unknown>
  /** Whoever came to share them since. */
  sharing: Set<Promise<unknown>>
  /** Everybody in the line. */
  size: number
}

/** What is told to whoever gets its turn where something has to be finished first. */
const AGAIN = Symbol('again')

/**
 * Turns at the items of organizations, within one process. Who changes items in one transaction shares them with others who do; who
 * needs several holds them alone. Everybody comes after those who came before to hold them, and who holds them after all.
 */
export class ItemTurns {
  readonly #lines = new Map<string, Line>()
  readonly #unfinished = new Map<string, () => Promise<void>>()

  /** Acts beside others of these. @throws what `act` throws, and why what was left unfinished cannot be finished */
  async share<Result>(organizationId: string, act: () => Promise<Result>): Promise<Result> {
    return await this.#inTurn(organizationId, act, this.#sharing)
  }

  /** Acts alone. @throws what `act` throws, and why what was left unfinished cannot be finished */
  async hold<Result>(organizationId: string, act: () => Promise<Result>): Promise<Result> {
    return await this.#inTurn(organizationId, act, this.#holding)
  }

  /** What whoever comes next has to finish first. It is done alone, and again by the next where it throws. */
  leaveUnfinished(organizationId: string, finish: () => Promise<void>): void {
    this.#unfinished.set(organizationId, finish)
  }

  /** Finishes what was left unfinished of an organization, if anything was. @throws why that cannot be done */
  async finish(organizationId: string): Promise<void> {
    await this.#enter(organizationId, this.#holding, async () => {
      await this.#unfinished.get(organizationId)?.()
      this.#unfinished.delete(organizationId)
    })
  }

  /** The organizations of which something is unfinished. */
  unfinished(): string[] {
    return [...this.#unfinished.keys()]
  }

  async #inTurn<Result>(organizationId: string, act: () => Promise<Result>, join: Join): Promise<Result> {
    for (;;) {
      if (this.#unfinished.has(organizationId)) await this.finish(organizationId)
      const result = await this.#enter(organizationId, join, async () =>
        // Whoever was before may have left something.
        this.#unfinished.has(organizationId) ? AGAIN : await act(),
      )
      if (result !== AGAIN) return result
    }
  }

  readonly #sharing: Join = (line, ended) => {
    line.sharing.add(ended)
    void ended.then(() => line.sharing.delete(ended))
    return line.held
  }

  readonly #holding: Join = (line, ended) => {
    const before = Promise.all([line.held, ...line.sharing])
    line.held = ended
    line.sharing = new Set()
    return before
  }

  /** In the order in which they come. */
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

/** Puts whoever ends by `ended` in a line. @returns what it has to wait for */
type Join = (line: Line, ended: Promise<void>) => Promise<unknown>

const turns = new WeakMap<Db, ItemTurns>()

/** The turns at a database's items. */
export function itemTurnsOf(db: Db): ItemTurns {
  const known = turns.get(db) ?? new ItemTurns()
  turns.set(db, known)
  return known
}
