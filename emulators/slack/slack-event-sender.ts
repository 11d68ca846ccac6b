import { createHmac } from 'node:crypto'

/** Sends events one after the other, each tried once: what is lost is for polling to find. */
export function createEventSender(options: {
  url: string | undefined
  signingSecret: string
  teamId: string
  now: () => number
}) {
  let queue = Promise.resolve()
  let count = 0
  const post = async (event: Record<string, unknown>, url: string): Promise<void> => {
    count += 1
    const timestamp = String(Math.floor(options.now() / 1000))
    const body = JSON.stringify({
      type: 'event_callback',
      team_id: options.teamId,
      api_app_id: 'A0EMULATOR',
      event_id: `Ev${String(count).padStart(10, '0')}`,
      event_time: Number(timestamp),
      event,
    })
    const mac = createHmac('sha256', options.signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${mac}`,
    }
    try {
      await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(3000) })
    } catch (error) {
      process.stderr.write(`slack emulator: an event was not taken: ${String(error)}\n`)
    }
  }
  return {
    send: (event: Record<string, unknown>) => {
      const { url } = options
      if (url !== undefined) queue = queue.then(() => post(event, url))
    },
    settled: () => queue,
  }
}
