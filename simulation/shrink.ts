import type { Outcome } from './run-seed.ts'
import type { Plan } from './world.ts'

const RUNS_MAX = 60

/** Removes rounds and faults as long as the seed still fails. */
export async function shrink(
  failed: Outcome,
  rounds: number,
  run: (plan: Omit<Plan, 'log'>) => Promise<Outcome>,
): Promise<Outcome> {
  let best = failed
  let runs = 0
  const { seed } = failed
  const kept = { rounds, skipRounds: new Set<number>(), skipFaults: new Set<number>() }
  const fails = async (plan: typeof kept): Promise<boolean> => {
    if (runs >= RUNS_MAX) return false
    runs += 1
    const outcome = await run({ seed, ...plan })
    if (outcome.violations.length === 0) return false
    best = outcome
    Object.assign(kept, plan)
    return true
  }
  // Nothing after the violation matters.
  const last = Number(best.trace.findLast((line) => /^\d+:/.test(line))?.split(':')[0] ?? rounds)
  await fails({ ...kept, rounds: last })
  await leaveOut(
    Array.from({ length: kept.rounds }, (_, index) => index + 1),
    (left) => fails({ ...kept, skipRounds: new Set([...kept.skipRounds, ...left]) }),
  )
  await leaveOut(
    best.faults.map(({ number }) => number),
    (left) => fails({ ...kept, skipFaults: new Set([...kept.skipFaults, ...left]) }),
  )
  return best
}

/** Tries to remove halves, then quarters, and so on. */
async function leaveOut(all: readonly number[], works: (left: number[]) => Promise<boolean>): Promise<void> {
  let rest = [...all]
  for (let size = Math.ceil(rest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < rest.length;) {
      const part = rest.slice(at, at + size)
      if (await works(part)) rest = rest.filter((one) => !part.includes(one))
      else at += size
    }
}
