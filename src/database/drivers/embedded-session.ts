import type { PGlite } from '@electric-sql/pglite'
import { createFairQueue } from '../../kernel/fair-queue.ts'
import { sentError } from './embedded-errors.ts'
import {
  type EmbeddedBegin,
  type EmbeddedOutcome,
  type EmbeddedRequest,
  type EmbeddedResult,
  IS_CLOSED,
} from './embedded-messages.ts'
import { EmbeddedStatements } from './embedded-statements.ts'

type Statement = Pick<Extract<EmbeddedRequest, { kind: 'run' }>, 'sql' | 'parameters' | 'name'>

interface OpenTransaction {
  /** Settles when the transaction has the session, or could not begin. */
  begun: Promise<void>
  /** Gives the session to the next in the queue. */
  leave: () => void
  idleTimer: NodeJS.Timeout | undefined
  /** Set when the idle limit ended the transaction. */
  expiry: Error | undefined
  /** Set when a statement failed: without a savepoint the database then refuses to commit. */
  hasFailed: boolean
}

const NOTHING: EmbeddedResult = { rows: [], affectedRows: 0 }

/** PGlite's one session: owners take turns, and a transaction idle for too long is rolled back. */
export class EmbeddedSession {
  readonly #pglite: PGlite
  readonly #statements: EmbeddedStatements
  readonly #line = createFairQueue<() => void>()
  #isTaken = false
  /** `#close` waits here until the queue is empty. */
  #last: (() => void) | undefined
  readonly #transactions = new Map<number, OpenTransaction>()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
    this.#statements = new EmbeddedStatements(pglite)
  }

  /** The error is the database's, or says that the transaction does not exist. */
  async answer(request: EmbeddedRequest): Promise<EmbeddedOutcome> {
    try {
      return { result: await this.#do(request) }
    } catch (error) {
      return { error: sentError(error) }
    }
  }

  /** Queues a transaction. It holds the session until it is committed or rolled back. */
  begin({ transaction: number, owner, modes, idleMs }: EmbeddedBegin): void {
    const begun = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const transaction: OpenTransaction = {
      begun: begun.promise,
      leave: left.resolve,
      idleTimer: undefined,
      expiry: undefined,
      hasFailed: false,
    }
    this.#transactions.set(number, transaction)
    this.#inLine(owner, async () => {
      await this.#statements.run(`begin ${modes}`)
      transaction.idleTimer = setTimeout(() => void this.#expire(transaction, idleMs), idleMs)
      begun.resolve()
      await left.promise
    }).catch(begun.reject)
    // The transaction's first statement reports the error.
    begun.promise.catch(() => {})
  }

  async #do(request: EmbeddedRequest): Promise<EmbeddedResult> {
    switch (request.kind) {
      case 'run':
        return request.transaction === null
          ? await this.#inLine(request.owner, () => this.#run(request))
          : await this.#runWithin(this.#transaction(request.transaction), request)
      case 'commit':
        return await this.#commit(request.transaction)
      case 'rollback':
        return await this.#rollback(request.transaction)
      case 'close':
        await this.#close()
        return NOTHING
    }
  }

  async #inLine<T>(owner: string, act: () => Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#line.add(owner, resolve))
    this.#isTaken = true
    try {
      if (this.#pglite.closed) throw new Error(IS_CLOSED)
      return await act()
    } finally {
      this.#giveOn()
    }
  }

  /** Closes after every earlier request of every owner. */
  async #close(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => (this.#last = resolve))
    this.#isTaken = true
    try {
      if (this.#pglite.closed) throw new Error(IS_CLOSED)
      await this.#pglite.close()
    } finally {
      this.#giveOn()
    }
  }

  /** Hands the session to the next in the queue, after one turn of the event loop, so that new arrivals are in it. */
  #giveOn(): void {
    setImmediate(() => {
      const next = this.#line.next() ?? this.#last
      if (next === this.#last) this.#last = undefined
      if (next) next()
      else this.#isTaken = false
    })
  }

  #run({ sql, parameters, name }: Statement): Promise<EmbeddedResult> {
    return this.#statements.run(sql, parameters, name)
  }

  async #runWithin(transaction: OpenTransaction, statement: Statement): Promise<EmbeddedResult> {
    await ready(transaction)
    try {
      return await this.#run(statement)
    } catch (error) {
      transaction.hasFailed = true
      throw error
    } finally {
      transaction.idleTimer?.refresh()
    }
  }

  async #commit(number: number): Promise<EmbeddedResult> {
    const transaction = this.#transaction(number)
    await ready(transaction)
    // A commit after a failed statement rolls back silently; any other statement reports the failure.
    if (transaction.hasFailed) await this.#statements.run('select')
    await this.#end(number, transaction, 'commit')
    return NOTHING
  }

  /** Does nothing to a transaction that has already ended. */
  async #rollback(number: number): Promise<EmbeddedResult> {
    const transaction = this.#transactions.get(number)
    if (!transaction) return NOTHING
    const isOpen = await ready(transaction).then(
      () => true,
      () => false,
    )
    if (isOpen) await this.#end(number, transaction, 'rollback')
    else this.#transactions.delete(number)
    return NOTHING
  }

  async #end(number: number, transaction: OpenTransaction, how: 'commit' | 'rollback'): Promise<void> {
    clearTimeout(transaction.idleTimer)
    this.#transactions.delete(number)
    try {
      await this.#statements.run(how)
    } finally {
      transaction.leave()
    }
  }

  async #expire(transaction: OpenTransaction, limitMs: number): Promise<void> {
    transaction.expiry = new Error(
      `The transaction was rolled back: it ran no statement for ${limitMs / 1000} s. ` +
        'It may have waited for a query that was not made on the transaction itself.',
    )
    try {
      await this.#statements.run('rollback')
    } finally {
      transaction.leave()
    }
  }

  #transaction(number: number): OpenTransaction {
    const transaction = this.#transactions.get(number)
    if (!transaction) throw new Error('No transaction is open')
    return transaction
  }
}

/** @throws why it could not begin, or that it was idle too long */
async function ready(transaction: OpenTransaction): Promise<void> {
  await transaction.begun
  if (transaction.expiry) throw transaction.expiry
}
