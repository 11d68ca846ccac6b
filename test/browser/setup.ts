import type { TestProject } from 'vitest/node'
import makeDatabases from '../support/database-setup.ts'
import { makeSites } from '../support/sites.ts'
import { findChromium } from './support/find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser's path; null when there is none. */
    chromium: string | null
  }
}

/** Prepares everything these suites need, concurrently. */
export default async function setup(project: TestProject): Promise<void> {
  await Promise.all([makeDatabases(project), findBrowser(project)])
}

/** Finds a browser, and builds the console and the guide; without one the suites are skipped with a message. */
async function findBrowser(project: TestProject): Promise<void> {
  const found = await findChromium()
  if ('reason' in found) {
    console.error(`\n  THE BROWSER TESTS ARE SKIPPED: ${found.reason}.\n  Set CHROMIUM_PATH to a Chromium.\n`)
    project.provide('chromium', null)
    return
  }
  await makeSites()
  project.provide('chromium', found.path)
}
