import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

describe('npm run evaluate', () => {
  it.each([
    [2, 'No collection is named.', []],
    [2, '--limit-queries takes a whole number', ['x', '--limit-queries', '0']],
    [2, "Unknown option '--colour'", ['x', '--colour']],
    [2, '--calibrate needs at least two collections', ['x', '--calibrate']],
    [2, '--keep goes with --calibrate', ['x', '--keep']],
    [1, 'corpus.jsonl cannot be read. A collection is a folder', ['missing-folder']],
  ])('ends with exit code %i and says: %s', async (code, message, args) => {
    await expect(run(process.execPath, ['evaluation/main.ts', ...args], { cwd: root })).rejects.toMatchObject(
      {
        code,
        stderr: expect.stringContaining(message),
      },
    )
  })
})
