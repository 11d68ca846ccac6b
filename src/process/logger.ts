import { pino, type DestinationStream, type Logger } from 'pino'
import type { Settings } from '../config.ts'

const CAUSES_MAX = 5

/** JSON on stdout or to `destination`; readable lines on a terminal. Redacts credentials and cuts errors. */
export function createLogger(level: Settings['LOG_LEVEL'], destination?: DestinationStream): Logger {
  const options = {
    level,
    serializers: { err: (error: unknown) => describeError(error) },
    redact: {
      paths: ['*.authorization', '*.secret', '*.token', '*.apiKey', 'headers.authorization'],
      censor: '[redacted]',
    },
  }
  if (destination) return pino(options, destination)
  if (!process.stdout.isTTY) return pino(options)
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } },
  })
}

interface DescribedError {
  type: string
  message: string
  code?: string
  stack?: string
  cause?: DescribedError
}

/** Name, message, code and stack of an error and its causes. Other properties can hold rows or prompts. */
function describeError(error: unknown, depth = 1): DescribedError {
  if (!(error instanceof Error))
    return { type: typeof error, message: 'a value that is not an error was thrown' }
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || depth >= CAUSES_MAX
      ? {}
      : { cause: describeError(error.cause, depth + 1) }),
  }
}
