import { setTimeout as delay } from 'node:timers/promises'
import type { Source } from './api-shapes.ts'
import { CommandError } from './failures.ts'
import type { Terminal } from './terminal.ts'

const LOOK_MS = 2_000
/** As long as the service waits for a person at the provider's page. */
const AGREE_TIMEOUT_MS = 10 * 60_000
/** Nothing tells the command that a person declined: only the page does. */
const REMIND_AFTER_MS = 60_000

/** The passing of time, in milliseconds. */
export interface Waiting {
  now(): number
  sleep(milliseconds: number): Promise<unknown>
}

const REAL_TIME: Waiting = { now: () => performance.now(), sleep: (milliseconds) => delay(milliseconds) }

/** What tells a source that was touched since from one that was not. */
export const standOf = ({ id, updatedAt }: Source): string => `${id} ${updatedAt}`

/**
 * The provider's source that is there, or was touched, since `already`: the callback makes one or gives one a fresh
 * grant. Reminds once that a person may have declined. @throws CommandError after ten minutes
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
        `Nobody agreed at ${provider} and clicked Connect within ten minutes; run this again`,
      )
    if (waitedMs >= REMIND_AFTER_MS && !hasReminded) {
      hasReminded = true
      terminal.note(
        'Still waiting; the page that the provider leads back to needs a click on Connect. If it said that the account was not connected, stop with Ctrl-C and run this again',
      )
    }
    await sleep(LOOK_MS)
  }
}
