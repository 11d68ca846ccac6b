import { ProviderError, type ProviderSession } from './adapter.ts'

const FIRST_BACKOFF_MS = 1_000
const LAST_BACKOFF_MS = 30_000
const UNKNOWN_RATE_LIMIT_MS = 30_000

export interface ProviderCallerOptions {
  /** Whether a fresh access token may fix an `auth` failure; no by default. */
  curedByNewToken?(error: ProviderError): boolean
}

/** Makes one call to the provider with a valid token; throws ProviderError. */
export type ProviderCaller = <Result>(
  session: ProviderSession,
  attempt: (accessToken: string) => Promise<Result>,
) => Promise<Result>

/**
 * Creates a caller with three rules. It waits out rate limits, for the time the provider names plus up to 10% jitter.
 * It retries outages (1 s doubling to 30 s, halved at random). It asks once for a new token when the provider calls
 * the old one expired. A rate limit holds back every call of the same account in this process.
 */
export function createProviderCaller(options: ProviderCallerOptions = {}): ProviderCaller {
  const blockedUntil = new Map<string, number>()

  return async (session, attempt) => {
    let token = await session.accessToken()
    let tokenIsNew = false
    let failures = 0
    let waitedMs = 0
    for (;;) {
      waitedMs += await waitForGate(session, blockedUntil, session.limits.maxRateLimitWaitMs - waitedMs)
      session.signal.throwIfAborted()
      try {
        return await attempt(token)
      } catch (error) {
        session.signal.throwIfAborted()
        if (!(error instanceof ProviderError)) throw error
        if (error.kind === 'rate_limited') {
          closeGate(session, blockedUntil, error)
        } else if (error.kind === 'unavailable' && ++failures < session.limits.maxAttempts) {
          await session.wait(backoffMs(failures, error, session))
        } else if (error.kind === 'auth' && !tokenIsNew && options.curedByNewToken?.(error)) {
          token = await newToken(session, token, error)
          tokenIsNew = true
        } else {
          throw error
        }
      }
    }
  }
}

/** Gets another token for the refused one; without one it throws the provider's error. */
async function newToken(session: ProviderSession, refused: string, failure: ProviderError): Promise<string> {
  try {
    return await session.accessToken(refused)
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'auth') throw failure
    throw error
  }
}

/** Waits while the account is held back; returns the milliseconds. @throws `rate_limited` over the budget */
async function waitForGate(
  session: ProviderSession,
  blockedUntil: Map<string, number>,
  budgetMs: number,
): Promise<number> {
  const waitMs = (blockedUntil.get(session.account.externalAccountId) ?? 0) - session.clock.now().getTime()
  if (waitMs <= 0) return 0
  if (waitMs > budgetMs) {
    throw new ProviderError('rate_limited', `rate limited for ${Math.ceil(waitMs / 1000)} more s`, {
      retryAfterMs: waitMs,
    })
  }
  await session.wait(waitMs)
  return waitMs
}

function closeGate(
  session: ProviderSession,
  blockedUntil: Map<string, number>,
  failure: ProviderError,
): void {
  const saidMs = failure.retryAfterMs ?? UNKNOWN_RATE_LIMIT_MS
  // At least a second: a provider that keeps answering 0 must not cause an endless busy loop.
  const waitMs = Math.max(1_000, saidMs) * (1 + session.random() * 0.1)
  const until = session.clock.now().getTime() + waitMs
  const account = session.account.externalAccountId
  blockedUntil.set(account, Math.max(until, blockedUntil.get(account) ?? 0))
}

function backoffMs(failures: number, failure: ProviderError, session: ProviderSession): number {
  if (failure.retryAfterMs !== null) return Math.min(failure.retryAfterMs, session.limits.maxRateLimitWaitMs)
  const full = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1))
  return full * (0.5 + session.random() / 2)
}
