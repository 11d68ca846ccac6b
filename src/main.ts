import { banner } from './banner.ts'
import { readSettings } from './config.ts'
import { drainOnSignals } from './drain.ts'
import { StartupError } from './kernel/errors.ts'
import { createLogger } from './logger.ts'
import { startService } from './service.ts'

try {
  const settings = readSettings(process.env)
  const logger = createLogger(settings.LOG_LEVEL)
  const service = await startService(settings, logger)
  drainOnSignals(() => service.close(), logger)
  process.stdout.write(banner(service))
} catch (error) {
  if (!(error instanceof StartupError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
