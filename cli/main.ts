/** The command line of the service: a client of its HTTP API. `memory --help` shows what it can do. */
import { Command, CommanderError } from 'commander'
import { addAskCommand } from './commands/ask.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addBillingCommand } from './commands/billing.ts'
import { addCanvasCommand } from './commands/canvas.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConnectCommand } from './commands/connect.ts'
import { addDocumentsCommand } from './commands/documents.ts'
import { addImportCommand } from './commands/import.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addModelCommand } from './commands/model.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addOperatorCommand } from './commands/operator.ts'
import { addSearchCommand } from './commands/search.ts'
import { addSourcesCommand } from './commands/sources.ts'
import { addStatusCommand } from './commands/status.ts'
import { addTokenCommand } from './commands/token.ts'
import { MemoryError } from '../client/src/index.ts'
import packageJson from '../package.json' with { type: 'json' }
import { codeOf, CommandError, ConnectionError, UsageError } from './failures.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2

function createProgram(): Command {
  const program = new Command('memory')
    .description("Search and fill an organization's memory over its HTTP API")
    .version(packageJson.version, '-V, --version', 'print the version')
    .option('--url <url>', 'where the service is (MEMORY_URL; default http://127.0.0.1:8787)')
    .option('--key <key>', 'the API key (better: MEMORY_API_KEY, which other users cannot see)')
    .option('--json', 'results as JSON')
    .showHelpAfterError('("--help" shows what there is)')
    // Before the commands are added, so that they inherit it.
    .exitOverride()
  addImportCommand(program)
  addSearchCommand(program)
  addAskCommand(program)
  addDocumentsCommand(program)
  addCanvasCommand(program)
  addKeysCommand(program)
  addSourcesCommand(program)
  addConnectCommand(program)
  addBillingCommand(program)
  addMcpCommand(program)
  addStatusCommand(program)
  addTokenCommand(program)
  addModelCommand(program)
  addOperatorCommand(program)
  addBackupCommands(program)
  addCompletionCommand(program)
  return program
}

/** Runs a command line and gives the exit code: 0, 1 for what failed, 2 for a wrong command line. */
async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    // Commander has written its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
    writeFailure(error, args.includes('--json'))
    return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
  }
}

function writeFailure(error: unknown, json: boolean): void {
  if (json) process.stderr.write(`${JSON.stringify(failureBody(error))}\n`)
  else process.stderr.write(`Error: ${failureText(error)}\n`)
}

function failureBody(error: unknown): Record<string, unknown> {
  if (error instanceof MemoryError)
    return { ...error.details, error: error.message, code: codeOf(error), status: error.status }
  return { error: failureText(error), code: error instanceof UsageError ? 'usage' : 'failed' }
}

function failureText(error: unknown): string {
  if (error instanceof MemoryError) {
    // The service's own words say it already where it limits requests.
    const isSaid = error.retryAfter === null || error.message.includes('try again in')
    const wait = isSaid ? '' : `; try again in ${error.retryAfter} s`
    return `${error.message} (${codeOf(error)})${wait}`
  }
  const isExpected =
    error instanceof UsageError || error instanceof CommandError || error instanceof ConnectionError
  if (isExpected) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

// A reader that goes away, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await run(process.argv.slice(2))
