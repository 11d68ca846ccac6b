import { setImmediate, setTimeout as delay } from 'node:timers/promises'

export interface BatchOptions<Ask, Answer> {
  /** Requests with the same key share a batch; runs of one key never overlap. */
  keyOf: (ask: Ask) => string
  /** Runs a batch of one key. Answers come in the same order; an `Error` in the list rejects that request alone. */
  run: (asks: readonly [Ask, ...Ask[]]) => Promise<readonly (Answer | Error)[]>
  sizeMax?: number
  /** How long a batch waits for requests after its first one, in milliseconds. None by default. */
  lingerMs?: (first: Ask) => number
}

const SIZE_MAX = 100
/** Keeps a steady stream of requests from delaying the first one forever. */
const LOOPS_MAX = 8

interface Waiting<Ask, Answer> extends PromiseWithResolvers<Answer> {
  ask: Ask
}

/**
 * Runs requests that arrive within a few iterations of the event loop as one batch, and requests that arrive during a
 * run as the next. Requests that would wait for the same database row then cost one statement. A run never answers a
 * request made after it began.
 * @returns a function that makes a request; it rejects with what the run threw or returned for it
 */
export function inBatches<Ask, Answer>(options: BatchOptions<Ask, Answer>): (ask: Ask) => Promise<Answer> {
  const { keyOf, run, sizeMax = SIZE_MAX, lingerMs = () => 0 } = options
  const lines = new Map<string, Waiting<Ask, Answer>[]>()

  const runBatch = async (batch: readonly Waiting<Ask, Answer>[]): Promise<void> => {
    try {
      const [first, ...others] = batch.map(({ ask }) => ask)
      if (first === undefined) return
      const answers = await run([first, ...others])
      if (answers.length !== batch.length)
        throw new Error(`a batch of ${batch.length} got ${answers.length} answers`)
      for (const [index, answer] of answers.entries()) {
        if (answer instanceof Error) batch[index]?.reject(answer)
        else batch[index]?.resolve(answer)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  /** Waits as long as each iteration of the event loop brings more requests. A lone request waits one iteration. */
  const gather = async (line: readonly Waiting<Ask, Answer>[]): Promise<void> => {
    const [first] = line
    const ms = first === undefined ? 0 : lingerMs(first.ask)
    if (ms > 0) await delay(ms)
    let gathered = 0
    for (let loops = 0; loops < LOOPS_MAX && line.length > gathered && gathered < sizeMax; loops += 1) {
      gathered = line.length
      await setImmediate()
    }
  }

  const serve = async (key: string, line: Waiting<Ask, Answer>[]): Promise<void> => {
    while (line.length > 0) {
      await gather(line)
      await runBatch(line.splice(0, sizeMax))
    }
    lines.delete(key)
  }

  return (ask) => {
    const waiting = { ask, ...Promise.withResolvers<Answer>() }
    const key = keyOf(ask)
    const line = lines.get(key)
    if (line) line.push(waiting)
    else {
      const begun = [waiting]
      lines.set(key, begun)
      void serve(key, begun)
    }
    return waiting.promise
  }
}
