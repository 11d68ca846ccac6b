import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

/** Runs the command line; `agree` visits, as the person's browser would, the first page that it prints. */
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
    if (agree && url !== undefined) page ??= fetch(url).then((response) => response.text())
  })
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString('utf8')))
  await once(child, 'close')
  return { code: child.exitCode, stdout, stderr, page: await page }
}

describe('memory connect', () => {
  it('leads a person to the provider and back to a page that says so, and reports the first sync', async () => {
    const { code, stdout, page } = await memory(['connect', 'slack'], true)
    expect(stdout).toMatch(/slack \(.+\): \d+ items found, [1-9]\d* new or changed, 0 removed/)
    expect(page).toContain('<h1>Slack is connected</h1>')
    expect(code).toBe(0)
  })

  it("says how to get the operator's leave, or gets it for an operator who asks", async () => {
    const refused = await memory(['connect', 'gmail'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`operator access ${organization.id} gmail grant`)
    const granted = await memory(['connect', 'gmail', '--grant'], true)
    expect(granted.stdout).toMatch(/gmail \(.+\): \d+ items found/)
  })

  it('asks which workspace is meant where there are several', async () => {
    const other = await service.organization()
    await service.signIn('ada', { organizationId: other.id, role: 'owner' })
    const unclear = await memory(['connect', 'slack'])
    expect(unclear.code).toBe(2)
    expect(unclear.stderr).toContain(other.id)
  })
})

describe('memory sources sync', () => {
  it('runs a sync and reports it, and fails in the words of the provider', async () => {
    const { body } = await service.call('GET', '/v1/sources', { key: organization.adminKey })
    const slack = body.sources.find(
      (source: { provider: string; lastSyncedAt: string | null }) =>
        source.provider === 'slack' && source.lastSyncedAt !== null,
    )
    expect(await memory(['sources', 'sync', slack.id])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^sync: \d+ items found, 0 new or changed, 0 removed, 0 not readable/),
    })
    const { faults } = service.emulators.slack
    faults.add({ path: 'auth.test', body: { ok: false, error: 'account_inactive' }, status: 200 })
    const failed = await memory(['sources', 'sync', slack.id, '--full'])
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('account_inactive')
    faults.clear()
  })
})
