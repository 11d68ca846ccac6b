import type { Db } from '../database/database.ts'
import { type Lease, LeaseLost, renewLease } from './leases.ts'
import { createTask } from './task.ts'

/** Renews a lease at a third of its duration until `end`; `lost` aborts when another process has it. */
export function keepLease(
  { db, onError }: { db: Db; onError: (error: unknown) => void },
  lease: Lease,
  seconds: number,
): { lost: AbortSignal; end(): void } {
  const lost = new AbortController()
  const renewing = createTask({
    async act() {
      await renewLease(db, lease, { seconds }).catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) throw error
        lost.abort(error)
      })
    },
    intervalMs: (seconds * 1000) / 3,
    onError,
    waitsFirst: true,
  })
  renewing.start()
  return { lost: lost.signal, end: () => void renewing.stop() }
}
