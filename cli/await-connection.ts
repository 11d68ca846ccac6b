import { setTimeout as delay } from 'node:timers/promises'
import type { Source } from './api-shapes.ts'
import { CommandError } from './failures.ts'
import type { Terminal } from './terminal.ts'

const LOOK_MS = 2_000
/** As long as the service waits for the user at the provider's page. */
const AGREE_TIMEOUT_MS = 10 * 60_000
/** Only the provider's page shows that the user declined; the command cannot detect it. */
const REMIND_AFTER_MS = 60_000

/** Passing time, in milliseconds. */
export interface Waiting {
  now(): number
  sleep(milliseconds: number): Promise<unknown>
}

const REAL_TIME: Waiting = { now: () => performance.now(), sleep: (milliseconds) => delay(milliseconds) }

/** Distinguishes a changed source from an unchanged one. */
export const standOf = ({ id, updatedAt }: Source): string => `${id} ${updatedAt}`

/**
 * Waits for a source of the provider that is new or changed since `already`: the callback creates one or renews a
 * grant. Reminds the user once that they may have declined. @throws CommandError after ten minutes
 */
export async function untilConnected(
  listSources: () => Promise<Source[]>,
  { provider, already }: { provider: string; already: ReadonlySet<string> },
  terminal: Pick<Terminal, 'note'>,
  { now, sleep }: Waiting = REAL_TIME,
): Promise<Source> {
  const begunAt = now()
  let hasReminded = false
  for (;;) {
    const sources = await listSources()
    const connected = sources.find((source) => source.provider === provider && !already.has(standOf(source)))
    if (connected) return connected
    const waitedMs = now() - begunAt
    if (waitedMs > AGREE_TIMEOUT_MS)
      throw new CommandError(
        `${provider} was not connected within ten minutes; run this again, allow access there and click Connect`,
      )
    if (waitedMs >= REMIND_AFTER_MS && !hasReminded) {
      hasReminded = true
      terminal.note(
        'Still waiting: after the provider, click Connect on the page that opens. If that page says that the account was not connected, press Ctrl-C and run this again',
      )
    }
    await sleep(LOOK_MS)
  }
}
