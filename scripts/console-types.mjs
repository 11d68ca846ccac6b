// Writes the types of the API that the console's client has, from the checked-in OpenAPI document:
// `node scripts/console-types.mjs`. They are not checked in.
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
    // A field with a default may be left out of a request.
    '--default-non-nullable=false',
  ],
  { cwd: CONSOLE_FOLDER },
)
