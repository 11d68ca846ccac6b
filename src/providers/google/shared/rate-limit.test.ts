import { afterEach, describe, expect, it } from 'vitest'
import { closeGoogles, connectGoogle, refusal } from '../../../../test/support/google.ts'
import { DEFAULT_SETTINGS } from '../../../../test/support/provider-harness.ts'
import { seededRandom } from '../../../../test/support/random.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import type { ProviderSession } from '../../adapter.ts'
import { createGmailAdapter, GMAIL_SCOPE } from '../gmail/adapter.ts'

afterEach(closeGoogles)

const extractor = createTextExtractor({ threads: 1 })
const PER_MINUTE = 60
/** Simulated milliseconds per look at the clock, however fast the machine is. */
const LOOK_MS = 20

describe('a mailbox larger than the quota of many minutes', () => {
  it('is read in one run that waits for each minute, with few rejected calls and within the wait budget', async () => {
    let passed = 0
    const now = () => Date.UTC(2026, 1, 1) + (passed += LOOK_MS)
    const { google, engine, adapter } = await connectGoogle(
      (settings, clock) => createGmailAdapter({ settings, clock, extractor }),
      GMAIL_SCOPE,
      { mails: 280, requestsPerMinute: PER_MINUTE, now },
      { maxRateLimitWaitMs: 90_000 },
    )
    let waited = 0
    const session: ProviderSession = {
      ...engine.session,
      clock: { now: () => new Date(now()) },
      random: seededRandom('rate limit'),
      wait: (ms) => {
        waited = Math.max(waited, ms)
        const until = passed + ms
        // Every waiter for the same moment has arrived by then, and waits no longer than the first.
        return new Promise((resolve) =>
          setTimeout(() => {
            passed = Math.max(passed, until)
            resolve()
          }, 1),
        )
      },
    }
    const ids: string[] = []
    for await (const page of adapter.listChanges(session, {
      cursor: null,
      settings: DEFAULT_SETTINGS,
    })) {
      expect(page.failures).toEqual([])
      ids.push(...page.upserts.map((item) => item.externalId))
    }
    expect(new Set(ids).size).toBe(273)
    expect(waited).toBeGreaterThan(20_000)
    // Five windows of 60 calls; two waits in each, with at most six calls in flight.
    const attachments = 28
    const needed = 273 + attachments + 5
    expect(google.requests.total - needed).toBeLessThan(80)
  }, 60_000)
})

describe('a daily quota', () => {
  it('ends the run, which resumes in an hour', async () => {
    const { google, engine } = await connectGoogle(
      (settings, clock) => createGmailAdapter({ settings, clock, extractor }),
      GMAIL_SCOPE,
      { mails: 150 },
    )
    await engine.run({ dieAfter: 1 })
    google.faults.add({ path: '/messages/', status: 403, body: refusal('dailyLimitExceeded') })
    const run = engine.run()
    await expect(run).rejects.toMatchObject({ kind: 'rate_limited' })
    await expect(run).rejects.toSatisfy(
      (error: { retryAfterMs: number }) => error.retryAfterMs > 3_500_000 && error.retryAfterMs < 4_000_000,
    )
  })
})
