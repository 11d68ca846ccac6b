import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../test/support/until.ts'

let checkout: string

/** A separate checkout with one package from a folder, so that nothing is downloaded. */
beforeEach(async () => {
  checkout = await mkdtemp(path.join(tmpdir(), 'run-test-'))
  await cp(fileURLToPath(new URL('.', import.meta.url)), path.join(checkout, 'scripts'), { recursive: true })
  await mkdir(path.join(checkout, 'packages/tiny'), { recursive: true })
  await writeJson('packages/tiny/package.json', { name: 'tiny', version: '1.0.0' })
  await writeJson('package.json', { name: 'checkout', dependencies: { tiny: 'file:packages/tiny' } })
  await writeJson('package-lock.json', {
    name: 'checkout',
    lockfileVersion: 3,
    packages: {
      '': { name: 'checkout', dependencies: { tiny: 'file:packages/tiny' } },
      'node_modules/tiny': { resolved: 'packages/tiny', link: true },
      'packages/tiny': { version: '1.0.0' },
    },
  })
  await writeFile(
    path.join(checkout, 'scripts/generate.ts'),
    `console.log('ran', process.argv.slice(2).join('+')); process.exitCode = 7`,
  )
})
afterEach(() => rm(checkout, { recursive: true, force: true }))

function writeJson(name: string, value: unknown): Promise<void> {
  return writeFile(path.join(checkout, name), JSON.stringify(value))
}

function run(...args: string[]): Promise<{ code: number | string; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path.join(checkout, 'scripts/run.mjs'), ...args], (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr })
    })
  })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a task', () => {
  it('installs once when started twice at the same time, and passes on its arguments and exit code', async () => {
    const both = await Promise.all([run('generate', 'a', 'b c'), run('generate', 'a', 'b c')])
    expect(both.map(({ code }) => code)).toEqual([7, 7])
    for (const { output } of both) expect(output).toContain('ran a+b c')
    expect(both.filter(({ output }) => output.includes('Installing packages'))).toHaveLength(1)
    expect(await run('generate')).toEqual({ code: 7, output: 'ran \n' })
  })

  it('shows why an installation failed, does not run, and installs again at the next start', async () => {
    await writeJson('package.json', { name: 'checkout', dependencies: { tiny: 'file:packages/other' } })
    const failed = await run('generate')
    expect(failed.code).toBe(1)
    expect(failed.output).toContain('package.json and package-lock.json')
    expect(failed.output).not.toContain('ran')

    await writeJson('package.json', { name: 'checkout', dependencies: { tiny: 'file:packages/tiny' } })
    const mended = await run('generate')
    expect(mended.output).toContain('Installing packages')
    expect(mended.code).toBe(7)
  })

  it('ends the installation with itself, which would disturb that of the next start', async () => {
    const npm = path.join(checkout, 'npm-cli.js')
    const pidFile = path.join(checkout, 'npm.pid')
    await writeFile(
      npm,
      // The real npm first takes back what it has installed.
      `process.on('SIGTERM', () => {}); require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000)`,
    )
    const child = spawn(process.execPath, [path.join(checkout, 'scripts/run.mjs'), 'generate'], {
      env: { ...process.env, npm_execpath: npm },
      stdio: 'ignore',
    })
    const ended = once(child, 'close')
    const pid = Number(
      await until(
        'npm runs',
        () => readFile(pidFile, 'utf8').catch(() => ''),
        (text) => text !== '',
      ),
    )
    try {
      child.kill('SIGTERM')
      await ended
      expect(
        await until(
          'npm has ended',
          () => isRunning(pid),
          (running) => !running,
        ),
      ).toBe(false)
    } finally {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    }
  })

  it('that does not exist prints the list of tasks', async () => {
    const { code, output } = await run('constructor')
    expect(code).toBe(2)
    expect(output).toContain('start|memory|test|check')
  })
})
