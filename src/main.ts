import { readSettings } from './config.ts'
import { drainOnSignals } from './process/drain.ts'
import { createLogger } from './process/logger.ts'
import { announce, logAllOutput, reportFailedStart } from './process/output.ts'
import { answerArguments } from './process/help.ts'
import { startService } from './assembly/service.ts'

async function start(): Promise<void> {
  let logger = createLogger('info')
  try {
    const settings = readSettings(process.env)
    logger = createLogger(settings.LOG_LEVEL)
    const stopWatching = logAllOutput(logger)
    const service = await startService(settings, logger)
    drainOnSignals(() => service.close(), logger)
    stopWatching()
    announce(service, logger)
  } catch (error) {
    reportFailedStart(error, logger)
  }
}

const answer = answerArguments(process.argv.slice(2))
if (answer === undefined) await start()
else {
  process.exitCode = answer.exitCode
  const output = answer.exitCode === 0 ? process.stdout : process.stderr
  output.write(answer.text)
}
