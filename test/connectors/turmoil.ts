import { expect } from 'vitest'
import type { Faults } from '../../emulators/kit/faults.ts'
import { between, pick, type Random } from '../../emulators/kit/seed.ts'
import { ProviderError } from '../../src/providers/adapter.ts'
import type { ProviderHarness } from '../support/provider-harness.ts'

const MINUTE_MS = 60_000

export interface Turmoil {
  /** Sometimes makes a change between the pages of a run. */
  meanwhile(): void
  /** Runs a source amid changes at its provider, faults and kills. */
  run(
    sync: ProviderHarness,
    faults: Faults,
    options: {
      steps: number
      /** The minimum minutes between runs; 0 by default. */
      minutesMin?: number
      /** The step from which no run rereads everything; by default any may. */
      resyncedUntil?: number
      /** Further disturbance of a step. */
      disturb?(): void
    },
  ): Promise<void>
}

/** @param change makes one change at the provider */
export function createTurmoil(random: Random, change: (step: number) => void): Turmoil {
  let step: number | null = 0
  return {
    meanwhile() {
      if (step !== null && random() < 0.3) change(step)
    },
    async run(sync, faults, { steps, minutesMin = 0, resyncedUntil = steps, disturb }) {
      for (let at = 0; at < steps; at += 1) {
        step = at
        sync.now += between(random, minutesMin, 20) * MINUTE_MS
        for (let changes = between(random, 0, 6); changes > 0; changes -= 1) change(at)
        if (random() < 0.3)
          faults.add({ every: between(random, 2, 15), times: 2, status: pick(random, [500, 429]) })
        if (random() < 0.1) faults.add({ every: between(random, 2, 15), times: 1, drop: true })
        disturb?.()
        await sync
          .run({
            dieAfter: between(random, 0, 8),
            losePage: random() < 0.5,
            fullResync: at < resyncedUntil && random() < 0.05,
          })
          .catch(expectProviderError)
        faults.clear()
        // The account may not see the item any more.
        if (random() < 0.3 && sync.items.size > 0)
          await sync.reread(pick(random, [...sync.items.keys()])).catch(expectProviderError)
      }
      step = null
    },
  }
}

const expectProviderError = (error: unknown): void => expect(error).toBeInstanceOf(ProviderError)

/** Runs a source in peace, then another one of the same account for the first time. */
export async function settle({
  sync,
  fresh,
}: {
  sync: ProviderHarness
  fresh(): ProviderHarness
}): Promise<ProviderHarness> {
  for (let runs = 0; runs < 3; runs += 1) {
    sync.now += 90 * MINUTE_MS
    await sync.run()
  }
  const anew = fresh()
  await anew.run()
  return anew
}

/** What a source has stored, by id. */
export const storedBy = ({ items }: ProviderHarness) => Object.fromEntries(items)
