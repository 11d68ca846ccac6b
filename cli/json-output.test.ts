import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { type EmulatedService, startEmulatedService } from './support/emulated-service.ts'
import { runCommand } from './support/run-command.ts'

/** `evaluate` writes its last run beside the file of questions. */
const folder = mkdtempSync(path.join(tmpdir(), 'memory-json-'))
const questions = path.join(folder, 'questions.csv')
let service: EmulatedService
beforeAll(async () => {
  await writeFile(questions, 'question,page,fact\nHow many days?,PTO policy,25\n')
  service = await startEmulatedService()
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

const ID = '6f2cd5ff-70a3-4a34-9d5b-0d1a6f6f8d01'
/** Each command with valid arguments. `mcp` always speaks JSON-RPC. */
const COMMANDS: Readonly<Record<string, string[]>> = {
  export: [path.join(folder, 'workspace.jsonl')],
  import: ['cli/support'],
  search: ['q'],
  ask: ['q', '--stream'],
  evaluate: [questions],
  'documents list': [],
  'documents open': ['q'],
  canvas: [],
  'groups list': [],
  'groups show': ['legal'],
  'groups set': ['legal', '--members', 'ada@example.com'],
  'groups delete': ['legal', '--yes'],
  'keys list': [],
  'keys create': ['name', '--actions', 'search'],
  'keys revoke': [ID, '--yes'],
  'sources list': [],
  'sources sync': [ID],
  'sources channels': [ID],
  'sources allow': [ID, '--all'],
  'sources pause': [ID],
  'sources resume': [ID],
  'sources delete': [ID, '--yes'],
  connect: ['slack'],
  'billing show': [],
  'billing checkout': ['studio'],
  'billing portal': [],
  mcp: [],
  status: [],
  token: [],
  reembed: [],
  'operator organizations': [],
  'operator remove': [ID, '--yes'],
  'operator subscription': [ID, 'active'],
  'operator requests': [],
  'operator access': [ID, 'gmail', 'grant'],
  'operator index': [ID, 'show'],
  backup: ['/nonexistent/folder/file'],
  restore: ['/nonexistent/file', '--check'],
  completion: ['bash'],
}

describe('memory --json', () => {
  it.each(Object.entries(COMMANDS))('%s writes JSON or nothing to stdout', async (command, args) => {
    const env = { MEMORY_URL: service.url, MEMORY_API_KEY: service.key, OPERATOR_TOKEN: 'x'.repeat(32) }
    const { stdout, stderr, code } = await runCommand([...command.split(' '), ...args, '--json'], {
      ...env,
      XDG_STATE_HOME: '/nonexistent',
    })
    expect(code, stderr).not.toBe(2)
    if (stdout !== '') expect(() => JSON.parse(stdout), stdout).not.toThrow()
    // A failure is an object that names itself.
    if (stdout === '' && code !== 0)
      expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toHaveProperty('error')
  })

  it.each([
    [['serch'], "unknown command 'serch'"],
    [['search', 'q', '--limit', '99'], 'It must be a whole number from 1 to 25.'],
    [['keys'], 'missing command'],
  ])('writes a wrong command line as JSON to stderr: %j', async (args, message) => {
    const { code, stdout, stderr } = await runCommand(['--json', ...args], {})
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({ error: expect.stringContaining(message), code: 'usage' })
  })

  it('covers every command', async () => {
    const { stdout } = await runCommand(['completion', 'bash'], {})
    const paths = /case "\$next" in\n\s+(.*)\) at=/.exec(stdout)?.[1]?.split('|') ?? []
    const names = paths.map((quoted) => quoted.slice(1, -1))
    const leaves = names.filter((name) => !names.some((other) => other.startsWith(`${name} `)))
    expect(leaves.toSorted()).toEqual(Object.keys(COMMANDS).toSorted())
  })
})

describe('the memory executable', () => {
  it('is the one in package.json, and runs in any folder', async () => {
    const file = path.join(import.meta.dirname, '..', packageJson.bin.memory)
    const child = spawn(file, ['--version'], { cwd: '/', env: { PATH: process.env['PATH'] } })
    let stdout = ''
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()))
    await once(child, 'close')
    expect(stdout).toBe(`${packageJson.version}\n`)
  })
})
