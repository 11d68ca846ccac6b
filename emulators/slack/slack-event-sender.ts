import { createHmac } from 'node:crypto'

/** An event not accepted in three seconds is resent at once, after one minute and five. */
const RETRY_DELAYS_MS: readonly number[] = [0, 60_000, 300_000]
const ANSWER_MS = 3000

type RetryReason = 'http_error' | 'http_timeout' | 'connection_failed'

/** Sends events one after another, each up to four times with the same `event_id`. */
export function createEventSender(options: {
  url: string | undefined
  signingSecret: string
  teamId: string
  now: () => number
  retryDelaysMs?: readonly number[]
}) {
  const delays = options.retryDelaysMs ?? RETRY_DELAYS_MS
  const timers = new Set<NodeJS.Timeout>()
  let queue = Promise.resolve()
  let count = 0

  async function attempt(url: string, body: string, retry: Retry | null): Promise<void> {
    const reason = await post({ ...options, url }, body, retry)
    if (reason === null) return
    const number = (retry?.number ?? 0) + 1
    const delay = delays[number - 1]
    if (delay === undefined) {
      process.stderr.write(`slack emulator: an event was not taken: ${reason}\n`)
      return
    }
    const next = { number, reason }
    if (delay === 0) return await attempt(url, body, next)
    const timer = setTimeout(() => {
      timers.delete(timer)
      queue = queue.then(() => attempt(url, body, next))
    }, delay)
    timer.unref()
    timers.add(timer)
  }

  return {
    send: (event: Record<string, unknown>) => {
      const { url } = options
      if (url === undefined) return
      count += 1
      const body = JSON.stringify({
        type: 'event_callback',
        team_id: options.teamId,
        api_app_id: 'A0EMULATOR',
        event_id: `Ev${String(count).padStart(10, '0')}`,
        event_time: Math.floor(options.now() / 1000),
        event,
      })
      queue = queue.then(() => attempt(url, body, null))
    },
    /** Resolves when every event so far has been sent, with all retries. */
    settled: () => queue,
    stop: () => {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

/** Sends a body once. Null: it was accepted, or the receiver asked for no retry. */
async function post(
  { url, signingSecret, now }: { url: string; signingSecret: string; now: () => number },
  body: string,
  retry: Retry | null,
): Promise<RetryReason | null> {
  const timestamp = String(Math.floor(now() / 1000))
  const mac = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${mac}`,
    ...(retry === null
      ? {}
      : { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason }),
  }
  try {
    const signal = AbortSignal.timeout(ANSWER_MS)
    const answer = await fetch(url, { method: 'POST', headers, body, signal })
    await answer.body?.cancel()
    if (answer.ok || answer.headers.get('x-slack-no-retry') === '1') return null
    return 'http_error'
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    return isTimeout ? 'http_timeout' : 'connection_failed'
  }
}

interface Retry {
  number: number
  reason: RetryReason
}
