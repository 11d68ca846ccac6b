import { format } from 'node:util'
import type { Logger } from 'pino'
import { banner } from './banner.ts'
import { StartupError } from '../kernel/errors.ts'
import type { Service } from '../assembly/service.ts'

/**
 * Where nobody reads along, all that the process says is a line of JSON on stdout: Node's warnings, what libraries print,
 * an error that nothing caught. On a terminal they stay as they are.
 * @returns what ends the watch for uncaught errors, for whoever handles them from then on
 */
export function logAllOutput(logger: Logger): () => void {
  if (process.stdout.isTTY) return () => {}
  // Node's own listener prints them.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => logger.warn({ err: warning }, 'a warning of the process'))
  const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const
  for (const [method, level] of Object.entries(levels))
    Object.assign(console, { [method]: (...words: unknown[]) => logger[level](format(...words)) })
  const onUncaught = (err: unknown): void => {
    logger.fatal({ err }, 'the service ends by an error that nothing caught')
    process.exit(1)
  }
  process.on('uncaughtException', onUncaught)
  return () => void process.off('uncaughtException', onUncaught)
}

/** Says that the service has started, and its new admin key: a banner on a terminal, else lines of the log. */
export function announce(
  service: Pick<Service, 'url' | 'database' | 'model' | 'signIn' | 'newSecret'>,
  logger: Logger,
): void {
  if (process.stdout.isTTY) {
    process.stdout.write(banner(service))
    return
  }
  const { url, database, model, signIn, newSecret } = service
  logger.info(
    { url, reference: `${url}/docs`, database, model, signIn },
    'Retrieval Memory Service has started',
  )
  // Whatever the level: no other start will tell it.
  if (newSecret !== null) logger.child({}, { level: 'info' }).info(`Admin key, shown this once: ${newSecret}`)
}

/** Says why the service could not start: what a person can mend without a stack. */
export function reportFailedStart(error: unknown, logger: Logger): void {
  process.exitCode = 1
  if (process.stdout.isTTY) {
    if (!(error instanceof StartupError)) throw error
    process.stderr.write(`${error.message}\n`)
  } else if (error instanceof StartupError) logger.fatal(error.message)
  else logger.fatal({ err: error }, 'the service could not start')
}
