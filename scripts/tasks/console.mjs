// Builds the console into `console/dist`.
import path from 'node:path'
import { ensureBuilt } from './build-once.mjs'
import { CONSOLE_FOLDER, ensureConsolePackages } from './install.mjs'
import { runBuilder } from './run-builder.mjs'

const OWN_INPUTS = ['index.html', 'package-lock.json', 'package.json', 'public', 'src', 'vite.config.ts']
const INPUTS = [
  ...OWN_INPUTS.map((name) => `console/${name}`),
  'design/tokens.json',
  'cli/evaluation',
  'client/src',
  'src/audit/action-words.ts',
  'src/billing/plans/plans.ts',
  'src/console/page-config.ts',
  'src/database/schema-words.ts',
  'src/file-text/limits.ts',
  'src/file-text/text-format.ts',
  'src/kernel/limits.ts',
  'src/kernel/retention.ts',
]

/**
 * Builds the console unless it is up to date.
 * @param {{ runtime: string, onBuild?: () => void }} options `onBuild` is called before a build begins.
 * @throws when the build fails, with a remedy.
 */
export async function ensureConsole({ runtime, onBuild }) {
  const args = ['node_modules/vite/bin/vite.js', 'build', '--emptyOutDir', '--logLevel', 'warn', '--outDir']
  await ensureBuilt({
    output: path.join(CONSOLE_FOLDER, 'dist'),
    inputs: INPUTS,
    install: () => ensureConsolePackages({ runtime, withDevelopment: false }),
    build: (folder) =>
      runBuilder({ what: 'The console', runtime, args: [...args, folder], cwd: CONSOLE_FOLDER }),
    onBuild,
  })
}
