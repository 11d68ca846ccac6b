import { Command } from 'commander'
import { addAskCommand } from './commands/ask.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addBillingCommand } from './commands/billing.ts'
import { addCanvasCommand } from './commands/canvas.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addConnectCommand } from './commands/connect.ts'
import { addDocumentsCommand } from './commands/documents.ts'
import { addEvaluateCommand } from './commands/evaluate.ts'
import { addExportCommand } from './commands/export.ts'
import { addGroupsCommand } from './commands/groups.ts'
import { addImportCommand } from './commands/import.ts'
import { addKeysCommand } from './commands/keys.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addOperatorCommand } from './commands/operator.ts'
import { addReembedCommand } from './commands/reembed.ts'
import { addSearchCommand } from './commands/search.ts'
import { addSourcesCommand } from './commands/sources.ts'
import { addStatusCommand } from './commands/status.ts'
import { addTokenCommand } from './commands/token.ts'
import packageJson from '../package.json' with { type: 'json' }

/** @param writeError receives help and messages about a wrong command line */
export function createProgram(writeError = writeToStderr): Command {
  const program = new Command('memory')
    .description('Fill and search a memory over its HTTP API')
    .version(packageJson.version, '-V, --version', 'print the version')
    .option('--url <url>', 'address of the service (MEMORY_URL; default http://127.0.0.1:8787)')
    .option('--key <key>', 'API key (safer: MEMORY_API_KEY, which other users cannot see)')
    .option('--json', 'print results as JSON')
    // Before commands are added, so that they inherit these.
    .configureOutput({ writeErr: writeError })
    .showHelpAfterError('(see --help)')
    .exitOverride()
  addImportCommand(program)
  addExportCommand(program)
  addSearchCommand(program)
  addAskCommand(program)
  addEvaluateCommand(program)
  addDocumentsCommand(program)
  addCanvasCommand(program)
  addKeysCommand(program)
  addGroupsCommand(program)
  addSourcesCommand(program)
  addConnectCommand(program)
  addBillingCommand(program)
  addMcpCommand(program)
  addStatusCommand(program)
  addTokenCommand(program)
  addReembedCommand(program)
  addOperatorCommand(program)
  addBackupCommands(program)
  addCompletionCommand(program)
  return program
}

function writeToStderr(text: string): void {
  process.stderr.write(text)
}
