import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ensureConsolePackages } from './tasks/install.mjs'

const CONSOLE = fileURLToPath(new URL('../console/', import.meta.url))

/** Writes the types of the API that the console's client has, from the checked-in OpenAPI document. Not checked in. */
export async function writeConsoleTypes(): Promise<void> {
  await ensureConsolePackages({ runtime: process.execPath, withDevelopment: true })
  const args = [
    'node_modules/openapi-typescript/bin/cli.js',
    '../openapi/openapi.json',
    '--output',
    'src/api/schema.d.ts',
    // A field with a default may be left out of a request.
    '--default-non-nullable=false',
  ]
  await promisify(execFile)(process.execPath, args, { cwd: CONSOLE })
}

if (import.meta.main) await writeConsoleTypes()
