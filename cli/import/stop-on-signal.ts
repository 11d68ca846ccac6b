import { setTimeout as pause } from 'node:timers/promises'
import { StoppedError } from '../failures.ts'
import type { Terminal } from '../terminal.ts'

/** After Ctrl-C, the shell convention. */
export const EXIT_STOPPED = 130

/** Ctrl-C ends the import after the current batch; a second one ends it immediately. */
export function stopOnSignal(terminal: Terminal): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(EXIT_STOPPED)
    controller.abort()
    terminal.note('\nStopping after the current batch; press Ctrl-C again to stop at once.')
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

export async function sleepUnlessStopped(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(milliseconds, undefined, { signal })
  } catch (error) {
    throw signal.aborted ? new StoppedError() : error
  }
}
