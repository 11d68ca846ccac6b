import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agreeElsewhere } from '../support/browser.ts'
import { type ConnectedService, startConnectedService } from '../support/connected-service.ts'
import type { Person } from '../support/people.ts'
import { OPERATOR_TOKEN, type TestOrganization } from '../support/service.ts'

let service: ConnectedService
let organization: TestOrganization
let owner: Person

beforeAll(async () => {
  service = await startConnectedService()
  organization = await service.organization()
  owner = await service.signIn('ada', { organizationId: organization.id, role: 'owner' })
})
afterAll(() => service.close())

/** Runs the command line; with `agree` it visits the first printed page like the user's browser. */
async function memory(args: readonly string[], agree = false) {
  const child = spawn(process.execPath, ['cli/main.ts', ...args], {
    env: {
      PATH: process.env['PATH'],
      MEMORY_URL: service.url,
      MEMORY_API_KEY: organization.adminKey,
      MEMORY_CONSOLE_TOKEN: owner.token,
      OPERATOR_TOKEN,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let page: Promise<string> | undefined
  child.stdout.on('data', (data: Buffer) => {
    stdout += data.toString('utf8')
    const url = /https?:\S+/.exec(stdout)?.[0]
    if (agree && url !== undefined) page ??= agreeElsewhere(url)
  })
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString('utf8')
    const url = args.includes('--json') ? /https?:\S+/.exec(stderr)?.[0] : undefined
    if (agree && url !== undefined) page ??= agreeElsewhere(url)
  })
  await once(child, 'close')
  return { code: child.exitCode, stdout, stderr, page: await page }
}

describe('memory connect', () => {
  it('sends a user to the provider and back, connects on a click, and reports the first sync [OAUTH-12]', async () => {
    const { code, stdout, page } = await memory(['connect', 'slack'], true)
    expect(stdout).toMatch(/^slack: open this page, allow access, and click Connect on the page/)
    expect(stdout).toMatch(/slack \(.+\): \d+ items found, [1-9]\d* new or changed, 0 deleted/)
    expect(stdout).toMatch(
      /only channels that the bot is a member of are synced[^]+sources allow [0-9a-f-]{36}/,
    )
    expect(page).toMatch(/\/console\/sources\?provider=slack&connected=/)
    expect(code).toBe(0)
  })

  it("says how to get the operator's approval, or grants it for the operator", async () => {
    const refused = await memory(['connect', 'gmail'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`operator access ${organization.id} gmail grant`)
    const granted = await memory(['connect', 'gmail', '--grant'], true)
    expect(granted.stdout).toMatch(/gmail \(.+\): \d+ items found/)
  })

  it('asks for the workspace when there are several', async () => {
    const other = await service.organization()
    await service.signIn('ada', { organizationId: other.id, role: 'owner' })
    const unclear = await memory(['connect', 'slack'])
    expect(unclear.code).toBe(2)
    expect(unclear.stderr).toContain(other.id)
  })
})

async function syncedSlack(): Promise<{ id: string; displayName: string }> {
  const { body } = await service.call('GET', '/v1/sources', { key: organization.adminKey })
  return body.sources.find(
    (source: { provider: string; lastSyncedAt: string | null }) =>
      source.provider === 'slack' && source.lastSyncedAt !== null,
  )
}

describe('memory sources sync', () => {
  it("runs a sync and reports it, and fails with the provider's message", async () => {
    const slack = await syncedSlack()
    const synced = await memory(['sources', 'sync', slack.id])
    expect(synced.stdout.startsWith(`${slack.displayName}: `)).toBe(true)
    expect(synced).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/: \d+ items found, 0 new or changed, 0 deleted, 0 not readable/),
    })
    const { faults } = service.emulators.slack
    faults.add({ path: 'auth.test', body: { ok: false, error: 'account_inactive' }, status: 200 })
    const failed = await memory(['sources', 'sync', slack.id, '--full'])
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('account_inactive')
    expect(failed.stderr).toContain('Connect it again: npm run memory -- connect slack')
    faults.clear()
  })
})

describe('memory sources, changing one', () => {
  const asOwner = () => ['--organization', organization.id]

  it('lists the channels, limits a source to some of them, and lifts the limit', async () => {
    const { id } = await syncedSlack()
    const [channel] = JSON.parse((await memory(['sources', 'channels', id, '--json'])).stdout).channels
    expect(await memory(['sources', 'allow', id, channel.id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`only ${channel.id}, from the next sync on`),
    })
    const listed = (await memory(['sources', 'channels', id])).stdout.trimEnd().split('\n')
    expect(listed[0]).toMatch(/^ID +NAME +PRIVATE +MEMBERS +ON THE ALLOWLIST$/)
    expect(listed.filter((line) => line.endsWith('yes'))).toEqual([expect.stringContaining(channel.id)])
    expect(await memory(['sources', 'allow', id, '--all'])).toMatchObject({ code: 0 })
    expect((await memory(['sources', 'channels', id])).stderr).toContain('No allowlist')
  })

  it('pauses, resumes and deletes a source as a user', async () => {
    const { id } = await syncedSlack()
    const paused = await memory(['sources', 'pause', id, ...asOwner()])
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('"disabled"') })
    const resumed = await memory(['sources', 'resume', id, ...asOwner()])
    expect(resumed.code).toBe(0)
    expect(resumed.stdout).not.toContain('disabled')
    expect(await memory(['sources', 'delete', id, '--yes', ...asOwner()])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Deleted ".+" \(slack\) with its \d+ items$/m),
    })
    expect((await memory(['sources', 'list'])).stdout).not.toContain(id)
    expect(await memory(['sources', 'delete', id, '--yes', ...asOwner()])).toMatchObject({ code: 1 })
  })
})

// Last: it connects a source with a name that the other tests expect to be unique.
describe('memory connect --json', () => {
  it('prints the result as JSON, and the page to open on stderr', async () => {
    const { code, stdout, stderr } = await memory(
      ['--json', 'connect', 'notion', '--organization', organization.id],
      true,
    )
    expect(code).toBe(0)
    expect(stderr).toMatch(/^notion: open this page/)
    expect(JSON.parse(stdout)).toMatchObject({
      connected: [{ source: { provider: 'notion' }, syncRun: { status: 'succeeded' } }],
    })
  })
})
