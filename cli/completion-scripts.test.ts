import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { runCommand } from './support/run-command.ts'

const run = promisify(execFile)
const scripts: Record<string, string> = {}

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    scripts[shell] = (await runCommand(['completion', shell], {})).stdout
})

const hasShell = (shell: string): Promise<boolean> =>
  run(shell, ['--version']).then(
    () => true,
    () => false,
  )

/** Bash's completions with the cursor after these words. */
async function offeredByBash(...words: string[]): Promise<string[]> {
  const line = words.map((word) => `'${word}'`).join(' ')
  const program = `${scripts['bash']}
COMP_WORDS=(memory ${line}); COMP_CWORD=${words.length}; _memory; printf '%s\\n' "\${COMPREPLY[@]}"`
  return (await run('bash', ['-c', program])).stdout.split('\n').filter((word) => word !== '')
}

describe('memory completion', () => {
  it('offers commands, subcommands and options in bash', async () => {
    expect(await offeredByBash('')).toEqual(
      expect.arrayContaining(['search', 'keys', 'completion', '--json']),
    )
    expect(await offeredByBash('ke')).toEqual(['keys'])
    expect(await offeredByBash('keys', '')).toEqual(expect.arrayContaining(['list', 'create', 'revoke']))
    expect(await offeredByBash('--json', 'keys', 'create', '--ac')).toEqual(['--actions', '--actor-type'])
    expect(await offeredByBash('keys', 'create', '--actor-type', '')).toEqual([
      'agent',
      'application',
      'admin',
    ])
    expect(await offeredByBash('connect', 's')).toEqual(['slack'])
    // Files are left to bash.
    expect(await offeredByBash('--url', '')).toEqual([])
  })

  it.each(['zsh', 'fish'])('prints a script that %s can parse', async (shell) => {
    expect(scripts[shell]).toContain('keys create')
  })

  it.each([
    ['zsh', ['-n', '-c']],
    ['fish', ['--no-execute', '-c']],
  ])('passes the syntax check of %s', async (shell, flags) => {
    if (!(await hasShell(shell))) console.error(`${shell} is not installed: its script was not checked`)
    else expect(await run(shell, [...flags, scripts[shell] ?? ''])).toMatchObject({ stderr: '' })
  })

  it('prints JSON on request', async () => {
    const { stdout } = await runCommand(['completion', 'bash', '--json'], {})
    expect(JSON.parse(stdout)).toEqual({ shell: 'bash', script: scripts['bash'] })
  })

  it('rejects an unknown shell', async () => {
    expect(await runCommand(['completion', 'tcsh'], {})).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('memory --version', () => {
  it('prints the version of the service', async () => {
    expect(await runCommand(['--version'], {})).toMatchObject({ code: 0, stdout: `${packageJson.version}\n` })
  })
})
