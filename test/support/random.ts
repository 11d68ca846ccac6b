import fc from 'fast-check'
import { createRandom } from '../../src/kernel/seeded-random.ts'

/**
 * The seed of this run, which vitest.config.ts chooses and prints. Rerun with `TEST_SEED=…` to get the same values.
 */
const SEED = Number(process.env.TEST_SEED)

// Every fast-check property starts with the run's seed; failure reports name it too.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED })

/** How often a random test repeats something: `few` times, and `TEST_ROUNDS` times as often in a long run. */
export function rounds(few: number): number {
  return few * Number(process.env.TEST_ROUNDS ?? 1)
}

/** Numbers from 0 to 1, the same in every run with this seed. `name` keeps those of different tests apart. */
export function seededRandom(name: string): () => number {
  let state = SEED
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return createRandom(state)
}
