import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'

let checkout: string

beforeEach(async () => {
  checkout = await mkdtemp(path.join(tmpdir(), 'build-once-test-'))
  await cp(import.meta.dirname, path.join(checkout, 'scripts/tasks'), { recursive: true })
  await mkdir(path.join(checkout, 'site'))
})
afterEach(() => rm(checkout, { recursive: true }))

it('builds again after a killed build, and removes what that left', async () => {
  const script = path.join(checkout, 'build.mjs')
  await writeFile(
    script,
    `import { mkdir, writeFile } from 'node:fs/promises'
    import { ensureBuilt, newBuildFolder } from './scripts/tasks/build-once.mjs'
    await ensureBuilt({
      output: 'site/dist',
      inputs: ['build.mjs'],
      install: async () => {},
      build: async (folder) => {
        await mkdir(await newBuildFolder('site/.build-'))
        if (process.argv[2] === 'killed') process.kill(process.pid, 'SIGKILL')
        await writeFile(folder + '/index.html', 'a page')
      },
    })`,
  )
  const build = (how: string) =>
    promisify(execFile)(process.execPath, [script, how], { cwd: checkout }).catch(() => 'killed')
  const left = async () => [
    ...(await readdir(path.join(checkout, '.cache'))),
    ...(await readdir(path.join(checkout, 'site'))).filter((name) => name.startsWith('.build-')),
  ]
  expect(await build('killed')).toBe('killed')
  expect(await left()).toHaveLength(2)
  await build('whole')
  expect(await readFile(path.join(checkout, 'site/dist/index.html'), 'utf8')).toBe('a page')
  expect(await left()).toEqual([expect.stringMatching(/^\.build-/)])
})
