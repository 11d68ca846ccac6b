import { format } from 'node:util'
import type { Logger } from 'pino'
import { banner } from './banner.ts'
import { StartupError } from '../kernel/errors.ts'
import type { Service } from '../assembly/service.ts'

/** Without a terminal, all output becomes JSON lines. @returns what stops watching for uncaught errors */
export function logAllOutput(logger: Logger): () => void {
  if (process.stdout.isTTY) return () => {}
  // Node's own listener prints them.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => logger.warn({ err: warning }, 'a warning of the process'))
  const levels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const
  for (const [method, level] of Object.entries(levels))
    Object.assign(console, { [method]: (...words: unknown[]) => logger[level](format(...words)) })
  const onUncaught = (err: unknown): void => {
    logger.fatal({ err }, 'the service ends with an uncaught error')
    process.exit(1)
  }
  process.on('uncaughtException', onUncaught)
  return () => void process.off('uncaughtException', onUncaught)
}

/** Announces that the service has started, with a new admin key: a banner on a terminal, log lines otherwise. */
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
  // At any log level: no later start shows it.
  if (newSecret !== null) logger.child({}, { level: 'info' }).info(`Admin key, shown only once: ${newSecret}`)
}

/** Reports why the service could not start; without a stack when the operator can fix it. */
export function reportFailedStart(error: unknown, logger: Logger): void {
  process.exitCode = 1
  if (process.stdout.isTTY) {
    if (!(error instanceof StartupError)) throw error
    process.stderr.write(`${error.message}\n`)
  } else if (error instanceof StartupError) logger.fatal(error.message)
  else logger.fatal({ err: error }, 'the service could not start')
}
