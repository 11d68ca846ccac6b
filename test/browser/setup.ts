import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import makeDatabases from '../support/database-setup.ts'
import { findChromium } from './support/find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser's path; null where there is none. */
    chromium: string | null
  }
}

const BUILD = fileURLToPath(new URL('../../scripts/build-console.mjs', import.meta.url))

/** Makes at once all that these suites need. */
export default async function setup(project: TestProject): Promise<void> {
  await Promise.all([makeDatabases(project), makeConsole(project)])
}

/** Builds the console and finds a browser; without one the suites are skipped, and it is said why. */
async function makeConsole(project: TestProject): Promise<void> {
  const found = await findChromium()
  if ('reason' in found) {
    console.error(`\n  THE BROWSER TESTS ARE SKIPPED: ${found.reason}.\n  Set CHROMIUM_PATH to a Chromium.\n`)
    project.provide('chromium', null)
    return
  }
  await promisify(execFile)(process.execPath, [BUILD])
  project.provide('chromium', found.path)
}
