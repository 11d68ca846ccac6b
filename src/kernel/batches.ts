import { setImmediate as turn } from 'node:timers/promises'

export interface BatchOptions<Ask, Answer> {
  /** What is of one key waits for one another and is done together. */
  keyOf: (ask: Ask) => string
  /** Does one or more of a key; its answers are in the same order, and one that is an Error refuses that ask alone. */
  run: (asks: readonly [Ask, ...Ask[]]) => Promise<readonly (Answer | Error)[]>
  /** Asks of one run at most. */
  sizeMax?: number
}

const SIZE_MAX = 100
/** So that a steady stream of asks does not put the first one off. */
const TURNS_MAX = 8

interface Waiting<Ask, Answer> extends PromiseWithResolvers<Answer> {
  ask: Ask
}

/**
 * Does what is asked for in a few turns of the event loop in one go, and what is asked for while that is being done in the next:
 * asks that would wait for one row of the database cost one statement. Every run begins after all that it answers was asked.
 * @returns what answers an ask; it rejects with what its run threw, or refused it with
 */
export function inBatches<Ask, Answer>(options: BatchOptions<Ask, Answer>): (ask: Ask) => Promise<Answer> {
  const { keyOf, run, sizeMax = SIZE_MAX } = options
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

  /** Waits while turns of the event loop bring more: fewer statements serve more asks. A lone ask waits for one turn. */
  const gather = async (line: readonly Waiting<Ask, Answer>[]): Promise<void> => {
    let gathered = 0
    for (let turns = 0; turns < TURNS_MAX && line.length > gathered && gathered < sizeMax; turns += 1) {
      gathered = line.length
      await turn()
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
