/** The command line: a client of the service's HTTP API. `memory --help` lists its commands. */
import { CommanderError } from 'commander'
import { MemoryError } from '../client/src/index.ts'
import { codeOf, CommandError, ConnectionError, UsageError } from './failures.ts'
import { describeWriteError } from './describe-file-error.ts'
import { createProgram } from './program.ts'
import { printable } from './terminal.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

/** Runs a command line and returns the exit code: 0, 1 for a failure, 2 for a wrong command line. */
async function run(args: readonly string[]): Promise<number> {
  const json = beforeOperands(args).includes('--json')
  try {
    await createProgram(json ? () => undefined : undefined).parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    writeFailure(error, json)
    return error instanceof UsageError || error instanceof CommanderError ? EXIT_USAGE : EXIT_FAILED
  }
}

/** What follows `--` is no option. */
function beforeOperands(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return end === -1 ? args : args.slice(0, end)
}

function writeFailure(error: unknown, json: boolean): void {
  if (json) process.stderr.write(`${JSON.stringify(failureBody(error))}\n`)
  // Commander has already printed its message.
  else if (!(error instanceof CommanderError))
    process.stderr.write(`Error: ${printable(failureText(error))}\n`)
}

function failureBody(error: unknown): Record<string, unknown> {
  if (error instanceof MemoryError)
    return { ...error.details, error: error.message, code: codeOf(error), status: error.status }
  if (error instanceof CommanderError) return { error: usageText(error), code: 'usage' }
  return { error: failureText(error), code: error instanceof UsageError ? 'usage' : 'failed' }
}

function usageText({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'missing command (see --help)'
  return message.replace(/^error: /, '')
}

function failureText(error: unknown): string {
  if (error instanceof MemoryError) {
    // The service's message about a rate limit already says it.
    const isSaid = error.retryAfter === null || error.message.includes('try again in')
    const wait = isSaid ? '' : `; try again in ${error.retryAfter} s`
    return `${error.message} (${codeOf(error)})${wait}`
  }
  const isExpected =
    error instanceof UsageError || error instanceof CommandError || error instanceof ConnectionError
  if (isExpected) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

// A reader that closes the pipe early, such as `head`, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  process.stderr.write(`Error: The output cannot be written: ${describeWriteError(error)}\n`)
  process.exit(EXIT_FAILED)
})

// Work continues when nobody reads its notes.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await run(process.argv.slice(2))
