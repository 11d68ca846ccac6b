import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * The first Python 3.11 with these modules; null without one. Debian's Python has Debian's packages, even if another
 * comes first in PATH.
 */
export async function findPython(...modules: string[]): Promise<string | null> {
  for (const python of ['python3', '/usr/bin/python3']) {
    const program = `import sys, ${modules.join(', ')}; sys.exit(sys.version_info < (3, 11))`
    const isFound = await run(python, ['-c', program]).then(
      () => true,
      () => false,
    )
    if (isFound) return python
  }
  console.error(`\n  PYTHON TESTS ARE SKIPPED: no Python 3.11 has ${modules.join(', ')}.\n`)
  return null
}
