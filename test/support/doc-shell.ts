import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import { readPage, ROOT, testedBlock } from './doc-pages.ts'
import { findPython } from './find-python.ts'

const run = promisify(execFile)

/** Runs the project's scripts without npm, whose start takes longer than most commands. Everything else is npm's. */
const NPM = `#!/bin/bash
given=("$@")
while [[ $1 == -* ]]; do [[ $1 == --prefix ]] && shift; shift; done
if [[ $1 == run ]]; then
  shift
  while [[ $1 == -* ]]; do shift; done
elif [[ $1 != start ]]; then
  exec "$REAL_NPM" "\${given[@]}"
fi
task=$1
shift
[[ $1 == -- ]] && shift
export INIT_CWD=$PWD
exec "${process.execPath}" "${path.join(ROOT, 'scripts/run.mjs')}" "$task" "$@"
`
/** Node runs TypeScript, so nothing is downloaded. */
const NPX = `#!/bin/bash
[[ $1 == tsx ]] || exit 127
shift
exec "${process.execPath}" "$@"
`

export interface CopyOptions {
  env?: Record<string, string>
  /** Addresses, keys and folders of the page, and those of the test. */
  replace?: Record<string, string>
  cwd?: string
}

/** Runs shell blocks as a reader who copies them, with a home folder of its own. */
export interface DocShell {
  /** The home folder. */
  home: string
  /** Whether `python3` has httpx. */
  hasPython: boolean
  /** @returns what the block prints to stdout */
  copied(page: string, name: string, options?: CopyOptions): Promise<string>
  shell(code: string, options?: CopyOptions): Promise<string>
  /** Starts a block that does not end by itself. */
  start(page: string, name: string, options?: CopyOptions): Promise<ChildProcess>
  /** Starts a program of a configuration. */
  spawn(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
  ): ChildProcessByStdio<Writable, Readable, null>
  close(): Promise<void>
}

export async function createDocShell(): Promise<DocShell> {
  const home = await mkdtemp(path.join(tmpdir(), 'doc-shell-'))
  const bin = path.join(home, 'bin')
  await mkdir(bin)
  await writeFile(path.join(bin, 'npm'), NPM, { mode: 0o755 })
  await writeFile(path.join(bin, 'npx'), NPX, { mode: 0o755 })
  const npm = await commandPath('npm')
  const python = await findPython('httpx')
  if (python !== null)
    await writeFile(path.join(bin, 'python3'), `#!/bin/bash\nexec ${await commandPath(python)} "$@"\n`, {
      mode: 0o755,
    })

  const environment = {
    PATH: `${bin}${path.delimiter}${process.env['PATH']}`,
    HOME: home,
    XDG_STATE_HOME: path.join(home, 'state'),
    PYTHONPATH: path.join(ROOT, 'client/python/src'),
    REAL_NPM: npm,
  }
  const prepared = (code: string, { env = {}, replace = {}, cwd = ROOT }: CopyOptions) => {
    let command = code
    for (const [from, to] of Object.entries(replace)) command = command.replaceAll(from, to)
    return {
      args: ['-euo', 'pipefail', '-c', command],
      options: { env: { ...environment, ...env }, cwd },
    }
  }
  const shell: DocShell['shell'] = async (code, given = {}) => {
    const { args, options } = prepared(code, given)
    return (await run('bash', args, options)).stdout
  }
  return {
    home,
    hasPython: python !== null,
    shell,
    copied: async (page, name, options) => await shell(testedBlock(await readPage(page), name), options),
    start: async (page, name, given = {}) => {
      const { args, options } = prepared(testedBlock(await readPage(page), name), given)
      return spawn('bash', args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    },
    spawn: (command, args, env) =>
      spawn(command, args, { env: { ...environment, ...env }, stdio: ['pipe', 'pipe', 'ignore'] }),
    close: () => rm(home, { recursive: true, force: true }),
  }
}

async function commandPath(name: string): Promise<string> {
  return (await run('bash', ['-c', `command -v ${name}`])).stdout.trim()
}
