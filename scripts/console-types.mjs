// Generates the console client's API types from the checked-in OpenAPI document: `node scripts/console-types.mjs`.
// They are not checked in.
import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { CONSOLE_FOLDER, ensureConsolePackages } from './tasks/install.mjs'

await ensureConsolePackages({ runtime: process.execPath, withDevelopment: true })
await promisify(execFile)(
  process.execPath,
  [
    'node_modules/openapi-typescript/bin/cli.js',
    '../openapi/openapi.json',
    '--output',
    'src/api/schema.d.ts',
    // A request may omit a field with a default.
    '--default-non-nullable=false',
  ],
  { cwd: CONSOLE_FOLDER },
)
