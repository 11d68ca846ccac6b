import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmulatedService, startEmulatedService, toEvent } from './support/emulated-service.ts'
import { type CommandResult, runCommand } from './support/run-command.ts'

const MAIN = path.join(import.meta.dirname, 'main.ts')
const PAGE = {
  status: 200,
  body: '<!doctype html>\n<h1>Hotel Wi-Fi</h1>',
  headers: { 'content-type': 'text/html' },
}

let service: EmulatedService
let home: string
beforeAll(async () => {
  service = await startEmulatedService()
  home = await mkdtemp(path.join(tmpdir(), 'odd-servers-'))
})
afterAll(async () => {
  await service.close()
  await rm(home, { recursive: true })
})
beforeEach(() => {
  service.intercept = () => undefined
})

const memory = (args: string[], env: Record<string, string> = {}): Promise<CommandResult> =>
  runCommand(args, { MEMORY_URL: service.url, MEMORY_API_KEY: service.key, HOME: home, ...env })

describe('a command at a server that is not the service', () => {
  it.each([
    ['search', 'q'],
    ['ask', 'q', '--stream'],
    ['export', 'never.jsonl'],
    ['groups', 'list'],
  ])('asks whether the URL is right after a page: %s %s', async (...args) => {
    service.intercept = () => PAGE
    const { code, stdout, stderr } = await memory(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(`Error: The response from ${service.url} is not from this service. Is --url right?\n`)
  })

  it('names the address to which it redirects', async () => {
    const location = 'https://memory.example.com/v1/search'
    service.intercept = () => ({ status: 301, body: '', headers: { location } })
    const { code, stderr } = await memory(['search', 'q'])
    expect(code).toBe(1)
    expect(stderr).toContain(`${service.url} redirects to https://memory.example.com; use the address`)
  })

  it('says that the answer was interrupted when it ends early', async () => {
    service.intercept = () => ({ status: 200, body: toEvent('delta', { text: 'Employees' }) })
    expect((await memory(['ask', 'q', '--stream'])).stderr).toBe(
      `Error: The connection to ${service.url} was interrupted\n`,
    )
  })

  it.each(['/login', 'https://login.example.com/'])('finds no development issuer: %s', async (location) => {
    service.intercept = () => ({ status: 302, body: '', headers: { location } })
    expect((await memory(['token'])).stderr).toMatch(/^Error: .* has no development issuer/)
  })

  it('removes control characters from its messages', async () => {
    service.intercept = () => ({ status: 400, body: { error: 'a\u001b[31m', code: 'validation_failed' } })
    expect((await memory(['search', 'q'])).stderr).toBe('Error: a[31m (validation_failed)\n')
  })

  it('answers every MCP message with an error, and writes nothing else', async () => {
    service.intercept = () => PAGE
    const child = spawn(process.execPath, [MAIN, 'mcp'], {
      env: { PATH: process.env.PATH ?? '', MEMORY_URL: service.url, MEMORY_API_KEY: service.key },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    for (const [index, method] of ['initialize', 'tools/list'].entries())
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: index, method, params: {} })}\n`)
    child.stdin.end()
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    const lines = output.trim().split('\n')
    expect(code).toBe(0)
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { id: 0, error: { message: expect.stringContaining('Is --url right?') } },
      { id: 1, error: { message: expect.stringContaining('Is --url right?') } },
    ])
  })
})

describe('a command on an odd machine', () => {
  it.each(['http://memory.test?x=1', 'http://ada:secret@memory.test', 'memory.test'])(
    'reports a usage error for the URL %s',
    async (url) => {
      const { code, stderr } = await memory(['search', 'q', '--url', url])
      expect(code).toBe(2)
      expect(stderr).toMatch(/^Error: --url or MEMORY_URL: url must be/)
      expect(stderr).not.toContain('secret')
    },
  )

  it.each(['', '.', '..'])('reports a usage error for the group ID %j', async (id) => {
    expect(await memory(['groups', 'delete', id])).toMatchObject({ code: 2 })
  })

  it('stores no import state in the current folder when XDG_STATE_HOME is empty', async () => {
    const folder = path.join(home, 'docs')
    await mkdir(folder, { recursive: true })
    await writeFile(path.join(folder, 'a.md'), 'Text')
    expect(await memory(['import', folder], { XDG_STATE_HOME: '' })).toMatchObject({ code: 0 })
    const again = await memory(['import', folder, '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ unchanged: 1 })
  })

  it.each(['a-file', 'a-link'])('explains how to continue without a folder for state: %s', async (kind) => {
    const folder = path.join(home, 'more')
    const state = path.join(home, kind, 'retrieval-memory')
    await Promise.all([folder, state].map((one) => mkdir(one, { recursive: true })))
    await writeFile(path.join(folder, 'b.md'), 'Text')
    if (kind === 'a-file') await writeFile(path.join(state, 'imports'), '')
    else await symlink(path.join(home, 'gone', 'away'), path.join(state, 'imports'))
    const { code, stderr } = await memory(['import', folder], { XDG_STATE_HOME: path.join(home, kind) })
    expect(code).toBe(1)
    expect(stderr).toContain('Set XDG_STATE_HOME to a folder')
    expect(stderr).not.toContain('    at ')
  })

  it.skipIf(process.platform !== 'linux')('says why its output cannot be written', async () => {
    const { code, stderr } = await new Promise<CommandResult>((resolve, reject) => {
      const child = spawn('sh', ['-c', `"${process.execPath}" "${MAIN}" keys list > /dev/full`], {
        env: { PATH: process.env.PATH ?? '', MEMORY_URL: service.url, MEMORY_API_KEY: service.key },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      child.once('error', reject)
      void text(child.stderr).then((said) =>
        child.once('close', (status, signal) => resolve({ code: status, signal, stdout: '', stderr: said })),
      )
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Error: The output cannot be written: the disk is full\n',
    })
  })
})
