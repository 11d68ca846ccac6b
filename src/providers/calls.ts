import { ProviderError, type ProviderSession } from './provider.ts'

const FIRST_BACKOFF_MS = 1_000
const LAST_BACKOFF_MS = 30_000
const UNKNOWN_RATE_LIMIT_MS = 30_000

export interface ProviderCallerOptions {
  /** What an SDK's failure means; null for what is no failure of the provider (a bug), which is thrown as it is. */
  toProviderError(error: unknown, now: Date): ProviderError | null
  /** Whether a fresh access token may cure an `auth` failure. */
  curedByNewToken(error: ProviderError): boolean
}

/** Makes one call to the provider with a valid token; throws ProviderError. */
export type ProviderCaller = <Result>(
  session: ProviderSession,
  attempt: (accessToken: string) => Promise<Result>,
) => Promise<Result>

/**
 * A caller that waits out rate limits (as long as the provider says, plus up to a tenth of it as jitter), tries again while
 * the provider is down (1 s doubling to 30 s, halved at random), and asks for a new token once when the old one is called
 * expired. A rate limit met by one call holds back every call of the same account in this process.
 */
export function createProviderCaller(options: ProviderCallerOptions): ProviderCaller {
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
        const failure =
          error instanceof ProviderError ? error : options.toProviderError(error, session.clock.now())
        if (!failure) throw error
        if (failure.kind === 'rate_limited') {
          closeGate(session, blockedUntil, failure)
        } else if (failure.kind === 'unavailable' && ++failures < session.limits.maxAttempts) {
          await session.wait(backoffMs(failures, failure, session))
        } else if (failure.kind === 'auth' && !tokenIsNew && options.curedByNewToken(failure)) {
          token = await newToken(session, token, failure)
          tokenIsNew = true
        } else {
          throw failure
        }
      }
    }
  }
}

/** Another token for the one refused; where there is none, what the provider said about the old one is thrown. */
async function newToken(session: ProviderSession, refused: string, failure: ProviderError): Promise<string> {
  try {
    return await session.accessToken(refused)
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'auth') throw failure
    throw error
  }
}

/** Waits while the account is held back; returns how long, in milliseconds. Throws `rate_limited` when that is over the budget. */
async function waitForGate(
  session: ProviderSession,
  blockedUntil: Map<string, number>,
  budgetMs: number,
): Promise<number> {
  const waitMs = (blockedUntil.get(session.account.externalAccountId) ?? 0) - session.clock.now().getTime()
  if (waitMs <= 0) return 0
  if (waitMs > budgetMs) {
    throw new ProviderError('rate_limited', `rate limited for another ${Math.ceil(waitMs / 1000)} s`, {
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
  // At least a second: a provider that says 0 again and again must not become a busy loop without end.
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
