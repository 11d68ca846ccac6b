import { describe, expect, it } from 'vitest'
import type { Source } from './api-shapes.ts'
import { standOf, untilConnected } from './await-connection.ts'

const SOURCE: Source = {
  id: 'a',
  provider: 'slack',
  status: 'active',
  displayName: 'Team',
  externalAccountId: 'T1',
  lastSyncedAt: null,
  errorMessage: null,
  sourceItemCount: 0,
  updatedAt: '2026-11-01T10:00:00.000Z',
}
const TOUCHED = { ...SOURCE, updatedAt: '2026-11-01T10:05:00.000Z' }

/** Waits, in simulated time, for a source that changes after `afterMs`. */
async function wait(afterMs: number) {
  let now = 0
  const notes: { at: number; line: string }[] = []
  const sleep = (milliseconds: number) => Promise.resolve(void (now += milliseconds))
  const connected = untilConnected(
    () => Promise.resolve([now >= afterMs ? TOUCHED : SOURCE]),
    { provider: 'slack', already: new Set([standOf(SOURCE)]) },
    { note: (line) => void notes.push({ at: now, line }) },
    { now: () => now, sleep },
  )
  return { connected: await connected.catch((error: unknown) => error), notes }
}

describe("waiting for the user's consent", () => {
  it('returns the source that changed, without a reminder within a minute', async () => {
    expect(await wait(50_000)).toEqual({ connected: TOUCHED, notes: [] })
  })

  it('reminds the user once after a minute, and gives up after ten', async () => {
    const { connected, notes } = await wait(Number.POSITIVE_INFINITY)
    expect(notes).toEqual([{ at: 60_000, line: expect.stringMatching(/^Still waiting: .+ Ctrl-C/) }])
    expect(connected).toMatchObject({ message: expect.stringContaining('within ten minutes') })
  })
})
