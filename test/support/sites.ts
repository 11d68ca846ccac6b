import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BUILDS = ['build-console', 'build-guide'].map((name) =>
  fileURLToPath(new URL(`../../scripts/${name}.mjs`, import.meta.url)),
)

let made: Promise<void> | undefined

/** Builds the console and the guide unless they are up to date. A second process waits for the first. */
export function makeSites(): Promise<void> {
  return (made ??= build())
}

async function build(): Promise<void> {
  for (const file of BUILDS) await promisify(execFile)(process.execPath, [file])
}
