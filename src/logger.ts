import { pino, type Logger } from 'pino'
import type { Settings } from './config.ts'

/** Structured JSON on stdout; readable lines on a terminal. Credentials are cut out wherever they might stand. */
export function createLogger(level: Settings['LOG_LEVEL']): Logger {
  const options = {
    level,
    redact: {
      paths: ['*.authorization', '*.secret', '*.token', '*.apiKey', 'headers.authorization'],
      censor: '[redacted]',
    },
  }
  if (!process.stdout.isTTY) return pino(options)
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } },
  })
}
