import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../../cli/support/run-command.ts'
import { type SlackEmulator, startSlackEmulator } from '../../emulators/slack/index.ts'
import { agreeElsewhere } from '../support/browser.ts'
import { makeDataDir } from '../support/data-dir.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import {
  launchService,
  PROCESS_ADMIN_KEY,
  type ServiceProcess,
  untilReady,
} from '../support/service-process.ts'
import { until } from '../support/until.ts'

let parent: string
let dataDir: string
let issuer: TestIssuer
let slack: SlackEmulator
let service: ServiceProcess

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'memory-backup-'))
  dataDir = await makeDataDir('data-', parent)
  issuer = await startIssuer()
  slack = await startSlackEmulator({
    seed: { channels: 2, messagesPerChannel: 8, users: 3, endsAt: Date.now() },
  })
  await start()
})
afterAll(async () => {
  await stop()
  await slack.close()
  await issuer.close()
  await rm(parent, { recursive: true, force: true })
})

async function start(): Promise<void> {
  service = await launchService({ ...issuer.environment, ...slack.env, DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
  await untilReady(service)
}

async function stop(): Promise<void> {
  service.child.kill('SIGKILL')
  await service.ended()
}

const memory = (...args: string[]): Promise<CommandResult> =>
  runCommand(args, { DATA_DIR: dataDir, MEMORY_URL: service.url, MEMORY_API_KEY: PROCESS_ADMIN_KEY })

// oxlint-disable-next-line typescript/no-explicit-any
async function call(method: string, path: string, body?: unknown, token = PROCESS_ADMIN_KEY): Promise<any> {
  const response = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const search = async (query: string) => (await call('POST', '/v1/search', { query, limit: 3 })).body.hits

async function pushOne(connectorId: string, name: string): Promise<void> {
  const document = { connectorId, provider: 'notion', sourceKind: 'document', externalId: name }
  const answer = await call('POST', '/v1/ingest', {
    documents: [{ ...document, title: `Page ${name}`, body: `What ${name} is about. `.repeat(30) }],
  })
  expect(answer).toMatchObject({ status: 200, body: { ingested: 1 } })
}

async function untilSynced(token: string, runs: number): Promise<{ connectorId: string; status: string }> {
  const { body } = await until(
    'the end of the run',
    () => call('GET', '/v1/console/sync-runs', undefined, token),
    ({ body: { syncRuns } }) =>
      syncRuns.length >= runs && ['succeeded', 'failed'].includes(syncRuns[0].status),
  )
  return body.syncRuns[0]
}

let connected: string

describe('a lost service', () => {
  it("answers as before from a backup made during work: searches, keys, and a connected account's grant", async () => {
    const ada = await issuer.token({ subject: 'ada' })
    await call('POST', '/v1/console/organizations', { name: 'Kept' }, ada)
    const begun = await call('POST', '/v1/console/connectors/slack/authorize', undefined, ada)
    await agreeElsewhere(begun.body.url)
    const { connectorId } = await untilSynced(ada, 1)
    connected = connectorId
    const { body } = await call('GET', '/v1/sources')
    const notion = body.sources.find((source: { provider: string }) => source.provider === 'notion').id
    const gone = (await call('POST', '/v1/api-keys', { name: 'gone', allowedActions: ['search'] })).body
    await call('DELETE', `/v1/api-keys/${gone.apiKey.id}`)
    for (let n = 0; n < 20; n++) await pushOne(notion, `early-${n}`)
    const found = await search('What early-7 is about')

    const over = new AbortController()
    let pushed = 0
    const working = (async () => {
      for (; !over.signal.aborted; pushed++) {
        await pushOne(notion, `meanwhile-${pushed}`)
        expect((await call('POST', '/v1/search', { query: 'about', limit: 1 })).status).toBe(200)
      }
    })()
    const backup = await memory('backup', join(parent, 'backup'), '--json')
    over.abort()
    await working
    expect(backup, backup.stderr).toMatchObject({ code: 0 })
    expect(JSON.parse(backup.stdout)).toMatchObject({
      encryptionKey: 'included',
      rows: { source_credentials: 1 },
    })
    expect(pushed).toBeGreaterThan(0)

    await stop()
    await rm(dataDir, { recursive: true })
    const restored = await memory('restore', join(parent, 'backup'))
    expect(restored, restored.stderr).toMatchObject({ code: 0 })
    expect(restored.stderr).toContain('It contains the ENCRYPTION KEY')
    await start()

    expect(await search('What early-7 is about')).toEqual(found)
    for (let n = 0; n < 20; n++)
      expect((await search(`What early-${n} is about`))[0].title).toBe(`Page early-${n}`)
    expect((await call('POST', '/v1/search', { query: 'x' }, gone.secret)).status).toBe(401)
    await call('POST', '/v1/console/sync-runs', { connectorId, fullResync: true }, ada)
    expect(await untilSynced(ada, 2)).toMatchObject({ status: 'succeeded', connectorId })
  })

  it('is also backed up and restored while stopped; the former folder stays, and the key stays in place', async () => {
    await stop()
    const file = join(parent, 'offline')
    const backup = await memory('backup', file, '--offline', '--no-encryption-key')
    expect(backup, backup.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('API keys') })
    expect(backup.stderr).toContain('It does NOT contain the ENCRYPTION KEY')
    expect((await memory('backup', file, '--offline')).stderr).toContain('already exists')
    expect((await memory('restore', file)).stderr).toContain('--replace')
    const restored = await memory('restore', file, '--replace', '--json')
    expect(restored, restored.stderr).toMatchObject({ code: 0 })
    expect(await readdir(JSON.parse(restored.stdout).formerAt)).toContain('encryption-key')
    await start()
    expect((await search('What early-7 is about'))[0].title).toBe('Page early-7')
    const ada = await issuer.token({ subject: 'ada' })
    await call('POST', '/v1/console/sync-runs', { connectorId: connected, fullResync: true }, ada)
    expect(await untilSynced(ada, 3)).toMatchObject({ status: 'failed' })
    expect(service.output()).toContain('connect the account')
  })
})
