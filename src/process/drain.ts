import type { Logger } from 'pino'

/** After this the process exits with code 1. */
const DRAIN_TIMEOUT_MS = 30_000
/** A terminal and npm can both forward one Ctrl-C; a signal this soon after the first is the same one. */
const REPEATED_SIGNAL_MS = 1_000

/** Drains the service on SIGTERM, SIGINT and uncaught errors. Exit code 0, or 1 when it failed or took too long. */
export function drainOnSignals(close: () => Promise<void>, logger: Logger): void {
  let startedAt: number | undefined
  const drain = (exitCode: number): void => {
    startedAt = performance.now()
    setTimeout(() => {
      logger.fatal('draining took too long')
      process.exit(1)
    }, DRAIN_TIMEOUT_MS).unref()
    close().then(
      () => {
        logger.info('stopped')
        process.exit(exitCode)
      },
      (err: unknown) => {
        logger.fatal({ err }, 'the service did not stop cleanly')
        process.exit(1)
      },
    )
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (startedAt === undefined) {
      logger.info({ signal }, 'draining: refusing new work, finishing requests in flight')
      drain(0)
    } else if (performance.now() - startedAt > REPEATED_SIGNAL_MS) {
      logger.warn({ signal }, 'stopped before all work was finished')
      process.exit(1)
    }
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'stopping after an uncaught error')
    if (startedAt === undefined) drain(1)
  })
}
