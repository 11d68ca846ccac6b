import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agreeElsewhere } from '../support/browser.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { codeBlocks, docPages, readPage, ROOT, testedBlock } from '../support/doc-pages.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { createDocShell, type DocShell } from '../support/doc-shell.ts'
import { freePort, untilReady } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/** One service for all samples: the emulators with the service that `npm start` starts. */
interface StartedService {
  child: ChildProcess
  url: string
  /** The admin key, printed by the first start. */
  key: string
}

let shell: DocShell
let service: StartedService
/** What the samples of the command line read. */
let env: Record<string, string>

beforeAll(async () => {
  shell = await createDocShell()
  const dataDir = await makeDataDir('data-', shell.home)
  service = await startService(dataDir)
  env = { MEMORY_URL: service.url, MEMORY_API_KEY: service.key, DATA_DIR: dataDir }
})
afterAll(async () => {
  const ended = once(service.child, 'close')
  service.child.kill('SIGTERM')
  await ended
  await shell.close()
})

/** Starts the service as the tutorial says, on free ports and with little data. */
async function startService(dataDir: string): Promise<StartedService> {
  const port = await freePort()
  const child = await shell.start('docs/tutorials/connect-slack.md', 'start with Slack', {
    env: { PORT: String(port) },
    replace: {
      '/tmp/slack': dataDir,
      '--start': '--start --port 0 --messages 4 --files 4 --mails 4 --pages 4',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => (output += data.toString()))
  const url = `http://127.0.0.1:${port}`
  await untilReady({ child, url, output: () => output })
  const key = await until(
    'the admin key',
    async () => /Admin key, shown only once: (svc_[\w-]{43})/.exec(output)?.[1] ?? '',
    (found) => found !== '',
  )
  return { child, url, key }
}

describe('a service that was started as the pages say', () => {
  it('is started by the same command on every page, apart from settings', async () => {
    const blocks = (await docPages()).flatMap((page) => codeBlocks(page.text))
    const commands = (names: readonly string[]): string[] =>
      blocks
        .filter(({ test = '' }) => names.includes(test))
        .map(({ code }) => code.replaceAll(/^(?:[A-Z_]+=\S+ )*|\s*(?:#.*)?$/gm, '').trim())
    expect(commands(['npm start'])).toEqual(['npm start', 'npm start'])
    expect(commands(['start with Slack', 'start with Stripe', 'start the emulators'])).toEqual(
      Array.from({ length: 3 }, () => 'npm run emulators -- --start'),
    )
    // This is also the command that the emulators start.
    expect(packageJson.scripts.start).toBe('exec node scripts/run.mjs start')
  })

  it('takes the key that its first start prints', async () => {
    const block = testedBlock(await readPage('docs/tutorials/connect-slack.md'), 'Slack key')
    const status = await shell.shell(`${block}\nnpm run memory -- status`, {
      env: { MEMORY_URL: service.url },
      replace: { 'svc_…': service.key },
    })
    expect(status).toMatch(/Key +accepted/)
  })

  it('is backed up and restored', async () => {
    const page = 'docs/guides/back-up-and-restore.md'
    const backups = path.join(shell.home, 'backups')
    await mkdir(backups)
    const replace = { '/backups': backups, '/opt/memory': ROOT }
    await shell.copied(page, 'back up every day', { env, replace })
    const [name = ''] = await readdir(backups)
    expect(name).toMatch(/^memory-\d{4}-\d\d-\d\d\.tar\.zst$/)
    const [backUp, restore = ''] = testedBlock(await readPage(page), 'back up and restore').split('\n')
    expect(backUp).toMatch(/^npm run memory -- backup \/backups\/memory\.tar\.zst /)
    // The service holds its own folder, so the backup goes to another.
    const restored = path.join(shell.home, 'restored')
    await shell.shell(restore, {
      env: { ...env, DATA_DIR: restored },
      replace: { '/backups/memory.tar.zst': path.join(backups, name) },
    })
    expect(await readdir(restored)).toContain('database')
  })

  describe('for an agent', () => {
    const page = 'docs/tutorials/agent-over-mcp.md'
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'sample', version: '1' },
      },
    }
    const Url = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) })
    const Command = z.object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    })

    /** The page's configuration with this service's address, key and folder. */
    async function configured(name: string): Promise<unknown> {
      let json = testedBlock(await readPage(page), name)
      for (const [from, to] of [
        ['http://127.0.0.1:8787', service.url],
        ['svc_…', service.key],
        ['${env:MEMORY_API_KEY}', service.key],
        ['${input:memory-key}', service.key],
        ['/path/to/this/folder', ROOT],
      ] as const)
        json = json.replaceAll(from, to)
      return JSON.parse(json)
    }

    it('has a configuration of Claude Desktop whose program answers', async () => {
      const { mcpServers } = z
        .object({ mcpServers: z.object({ memory: Command }) })
        .parse(await configured('claude_desktop_config.json'))
      const { memory } = mcpServers
      const child = shell.spawn(memory.command, memory.args, memory.env)
      child.stdin.end(`${JSON.stringify(initialize)}\n`)
      const answer = JSON.parse(await text(child.stdout))
      expect(answer).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } })
    })

    it('has configurations of Cursor and VS Code whose address answers', async () => {
      const cursor = z
        .object({ mcpServers: z.object({ memory: Url }) })
        .parse(await configured('cursor mcp.json')).mcpServers
      const code = z
        .object({ servers: z.object({ memory: Url.extend({ type: z.literal('http') }) }) })
        .parse(await configured('vscode mcp.json')).servers
      for (const { url, headers } of [cursor.memory, code.memory]) {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            ...headers,
          },
          body: JSON.stringify(initialize),
        })
        expect(await response.text()).toContain('"protocolVersion":"2025-06-18"')
      }
    })
  })
})

describe('memory connect', () => {
  it('connects Google and Notion with a click, once the operator has granted Google', async () => {
    const listed = await shell.shell('npm run -s memory -- --json operator organizations', { env })
    const workspace = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(listed)?.[0] ?? ''
    const google = 'docs/guides/connect-google.md'
    await shell.copied(google, 'grant Google', { env, replace: { WORKSPACE: workspace } })
    expect(await connected(google, 'connect Google')).toMatch(/google_drive \(.+\): \d+ items found/)
    const notion = 'docs/guides/connect-notion.md'
    expect(await connected(notion, 'connect Notion')).toMatch(/notion \(.+\): \d+ items found/)
  })

  /** Runs `memory connect` like a person who opens the page that it prints. */
  async function connected(page: string, name: string): Promise<string> {
    const child = await shell.start(page, name, { env })
    let output = ''
    let agreed: Promise<string> | undefined
    child.stdout?.on('data', (data: Buffer) => {
      output += data.toString()
      const url = /https?:\S+/.exec(output)?.[0]
      if (url !== undefined) agreed ??= agreeElsewhere(url)
    })
    await once(child, 'close')
    await agreed
    return output
  }
})
