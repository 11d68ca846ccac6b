import { fork } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import { createConsoleBuild, createGuideBuild, type SiteBuild } from './build.ts'

let folder: string
let lines: { level: number; msg: string }[]
let build: SiteBuild

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-build-'))
  lines = []
})
afterEach(async () => {
  build.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(script: string): Promise<void> {
  const file = join(folder, 'script.mjs')
  await writeFile(file, script)
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  build = createConsoleBuild(logger, { folder, script: file })
  build.start()
}

const WRITE_PAGE =
  "import { writeFileSync } from 'node:fs'; const write = () => writeFileSync(new URL('index.html', import.meta.url), 'page');"

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("the console's build", () => {
  it('is preparing while the script runs, and ready when it has ended', async () => {
    await start(
      `${WRITE_PAGE} process.send('building'); setTimeout(() => { write(); process.disconnect() }, 300)`,
    )
    expect(build.state()).toEqual({ is: 'preparing' })
    await until('the build ends', build.state, ({ is }) => is === 'ready')
    expect(lines.map(({ msg }) => msg)).toEqual([
      'building the console; the API is up meanwhile',
      'built the console',
    ])
  })

  it('calls a function when it has ended, and names the guide when it builds that', async () => {
    const script = join(folder, 'script.mjs')
    await writeFile(script, `console.error('no network'); process.exitCode = 1; process.disconnect()`)
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    build = createGuideBuild(logger, { folder, script })
    await new Promise<void>((resolve) => build.start(resolve))
    expect(lines.at(-1)?.msg).toBe('the guide could not be built; the API is up without it: no network')
  })

  it('logs a failure with what to fix, and the page says the same', async () => {
    await start(`console.error('npm could not install'); process.exitCode = 1; process.disconnect()`)
    await until('the build fails', build.state, ({ is }) => is === 'missing')
    expect(build.state()).toEqual({ is: 'missing', reason: 'npm could not install' })
    expect(lines.at(-1)).toMatchObject({ level: 50, msg: expect.stringContaining('npm could not install') })
  })

  it('keeps an earlier console in use when it fails', async () => {
    await writeFile(join(folder, 'index.html'), 'earlier')
    await start(
      `process.send('building'); console.error('no network'); process.exitCode = 1; process.disconnect()`,
    )
    await until('the failure is logged', () => lines.some(({ level }) => level === 50), Boolean)
    expect(build.state()).toEqual({ is: 'ready' })
  })
  it.each(['stop', 'disconnect'] as const)('leaves no build tool running after %s', async (way) => {
    const mark = join(folder, 'pid')
    const tool = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, String(process.pid)); setInterval(() => {}, 1e3)`
    const tasks = new URL('../../scripts/tasks/', import.meta.url)
    const script = `import { buildAsChild } from '${tasks.href}build-as-child.mjs'
      import { runBuilder } from '${tasks.href}run-builder.mjs'
      const args = ['-e', ${JSON.stringify(tool)}]
      await buildAsChild(({ runtime }) => runBuilder({ what: 'It', runtime, args, cwd: '.' }))`
    let end = (): void => build.stop()
    if (way === 'stop') await start(script)
    else {
      const file = join(folder, 'script.mjs')
      await writeFile(file, script)
      const child = fork(file)
      end = () => child.disconnect()
    }
    const pid = await until('the tool runs', () => readFile(mark, 'utf8').catch(() => ''), Boolean)
    end()
    const running = await until(
      'the tool has ended',
      () => isRunning(Number(pid)),
      (is) => !is,
    )
    expect(running).toBe(false)
  })
})
