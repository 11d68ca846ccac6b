import { Worker } from 'node:worker_threads'
import { currentOwner } from '../../kernel/event-loop.ts'
import { receivedError, type SentError, sentError } from './embedded-errors.ts'
import {
  type EmbeddedAnswer,
  type EmbeddedBegin,
  type EmbeddedMessage,
  type EmbeddedPlace,
  type EmbeddedRequest,
  type EmbeddedResult,
  type EmbeddedOutcome,
  IS_CLOSED,
} from './embedded-messages.ts'

export interface EmbeddedQueries {
  /** @param name under which the session keeps it prepared @throws the database's error, or that it has ended */
  query<Row>(sql: string, parameters?: readonly unknown[], name?: string): Promise<EmbeddedResult<Row>>
}

/** The embedded database on its own thread. It has one session, and owners take turns. */
export interface EmbeddedThread extends EmbeddedQueries {
  /** Whether it no longer answers. */
  readonly hasEnded: boolean
  readonly isAsked: boolean
  /**
   * Begins a transaction without waiting for the session; its first statement waits and reports any error.
   * @param modes such as `isolation level repeatable read`
   * @param idleMs how long it can go without a statement before it is rolled back
   */
  begin(options: { modes?: string; idleMs: number }): EmbeddedTransaction
  /** Closes the database after every earlier request, and ends the thread. */
  close(): Promise<void>
}

export interface EmbeddedTransaction extends EmbeddedQueries {
  commit(): Promise<void>
  rollback(): Promise<void>
}

type Answer = Extract<EmbeddedAnswer, { id: number }>

/**
 * Starts a thread and opens the database on it. The thread keeps the process alive only while a request is unanswered.
 * @param onLost called when the thread ends by itself. Without it the error is thrown uncaught, which ends the process;
 * the next start finds every acknowledged write.
 * @throws why the database could not be opened; no thread remains
 */
export async function startEmbeddedThread(
  place: EmbeddedPlace,
  onLost: (error: Error) => void = throwIt,
): Promise<EmbeddedThread> {
  const worker = new Worker(new URL('./embedded-worker.ts', import.meta.url), {
    workerData: place,
    // Node's options concern how the process's first file is loaded, so the thread takes none.
    execArgv: [],
  })
  await untilOpen(worker)
  return embeddedThread(wayTo(worker, onLost))
}

async function untilOpen(worker: Worker): Promise<void> {
  const first = Promise.withResolvers<EmbeddedAnswer>()
  const onExit = (): void => first.reject(new Error('its thread ended'))
  worker.once('message', first.resolve).once('error', first.reject).once('exit', onExit)
  try {
    const answer = await first.promise
    if ('error' in answer) throw receivedError(answer.error)
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    worker.off('message', first.resolve).off('error', first.reject).off('exit', onExit)
  }
}

export interface EmbeddedWay {
  /** Whether it no longer answers. */
  readonly hasEnded: boolean
  tell(message: EmbeddedBegin): void
  ask(request: EmbeddedRequest): Promise<EmbeddedOutcome>
  end(): Promise<void>
}

function wayTo(worker: Worker, onLost: (error: Error) => void): EmbeddedWay {
  const waiting = new Map<number, (outcome: EmbeddedOutcome) => void>()
  let asked = 0
  let fault: unknown
  let isEnding = false
  let ended: { error: SentError } | undefined

  const end = (error: Error): void => {
    ended = { error: sentError(error) }
    for (const settle of waiting.values()) settle(ended)
    waiting.clear()
  }
  worker.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
    if (waiting.size === 0) worker.unref()
  })
  worker.on('error', (error) => (fault = error))
  worker.on('exit', (code) => {
    if (isEnding) return end(new Error(IS_CLOSED))
    const lost = new Error(`The embedded database has ended (exit code ${code} of its thread)`, {
      cause: fault,
    })
    end(lost)
    onLost(lost)
  })
  worker.unref()

  return {
    get hasEnded() {
      return ended !== undefined
    },
    tell: (message) => worker.postMessage(message satisfies EmbeddedMessage, []),
    ask: (request) =>
      new Promise((resolve) => {
        if (ended) return resolve(ended)
        const id = asked++
        worker.postMessage({ id, ...request } satisfies EmbeddedMessage, [])
        if (waiting.size === 0) worker.ref()
        waiting.set(id, resolve)
      }),
    async end() {
      isEnding = true
      await worker.terminate()
    },
  }
}

export function embeddedThread(way: EmbeddedWay): EmbeddedThread {
  let begun = 0
  let unanswered = 0
  const ask = async <Row>(request: EmbeddedRequest): Promise<EmbeddedResult<Row>> => {
    unanswered += 1
    const outcome = await way.ask(request).finally(() => (unanswered -= 1))
    // Created here and not where the answer arrives, so that the stack shows the caller.
    if ('error' in outcome) throw receivedError(outcome.error)
    // The statement determines the type of its rows, as with every query.
    return outcome.result as EmbeddedResult<Row>
  }
  const queries = (transaction: number | null): EmbeddedQueries => ({
    query: (sql, parameters = [], name) =>
      ask({ kind: 'run', transaction, owner: currentOwner(), sql, parameters, name }),
  })
  return {
    ...queries(null),
    get hasEnded() {
      return way.hasEnded
    },
    get isAsked() {
      return unanswered > 0
    },
    begin({ modes = '', idleMs }) {
      const transaction = begun++
      way.tell({ kind: 'begin', transaction, owner: currentOwner(), modes, idleMs })
      return {
        ...queries(transaction),
        async commit() {
          await ask({ kind: 'commit', transaction })
        },
        async rollback() {
          await ask({ kind: 'rollback', transaction })
        },
      }
    },
    async close() {
      if (way.hasEnded) return
      try {
        await ask({ kind: 'close' })
      } finally {
        await way.end()
      }
    },
  }
}

function throwIt(error: Error): never {
  throw error
}
