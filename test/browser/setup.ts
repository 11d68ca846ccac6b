import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import makeDatabases from '../support/database-setup.ts'
import { findChromium } from './support/find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser's path; null when there is none. */
    chromium: string | null
  }
}

const BUILDS = ['build-console', 'build-guide'].map((name) =>
  fileURLToPath(new URL(`../../scripts/${name}.mjs`, import.meta.url)),
)

/** Prepares everything these suites need, concurrently. */
export default async function setup(project: TestProject): Promise<void> {
  await Promise.all([makeDatabases(project), makeSites(project)])
}

/** Builds the console and the guide and finds a browser; without one the suites are skipped with a message. */
async function makeSites(project: TestProject): Promise<void> {
  const found = await findChromium()
  if ('reason' in found) {
    console.error(`\n  THE BROWSER TESTS ARE SKIPPED: ${found.reason}.\n  Set CHROMIUM_PATH to a Chromium.\n`)
    project.provide('chromium', null)
    return
  }
  for (const build of BUILDS) await promisify(execFile)(process.execPath, [build])
  project.provide('chromium', found.path)
}
