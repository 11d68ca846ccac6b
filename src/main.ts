import closeWithGrace from 'close-with-grace'
import { startService } from './service.ts'
import { banner } from './banner.ts'
import { readSettings } from './config.ts'
import { StartupError } from './kernel/errors.ts'
import { createLogger } from './logger.ts'

const DRAIN_TIMEOUT_MS = 30_000

try {
  const settings = readSettings(process.env)
  const logger = createLogger(settings.LOG_LEVEL)
  const service = await startService(settings, logger)
  process.stdout.write(banner(service))
  closeWithGrace({ delay: DRAIN_TIMEOUT_MS, logger: false }, async ({ signal, err }) => {
    if (err) logger.fatal({ err }, 'stopping after an error that nothing caught')
    else logger.info({ signal }, 'draining: no new work, requests in flight finish')
    await service.close()
    logger.info('stopped')
  })
} catch (error) {
  if (!(error instanceof StartupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
