import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type CannedResponse,
  type EmulatedService,
  type SeenRequest,
  startEmulatedService,
} from '../support/emulated-service.ts'
import { type CommandResult, runCommand } from '../support/run-command.ts'

let service: EmulatedService
beforeAll(async () => {
  service = await startEmulatedService()
})
afterAll(() => service.close())
beforeEach(() => {
  service.intercept = () => undefined
  service.requests.length = 0
})

const memory = (...args: string[]): Promise<CommandResult> =>
  runCommand(args, {
    MEMORY_URL: service.url,
    MEMORY_API_KEY: service.key,
    MEMORY_CONSOLE_TOKEN: service.key,
  })
const requested = () => service.requests.map(({ method, path }) => `${method} ${path}`)

/** Canned answers by method and path; a list is used in order, and its last answer repeats. */
function answer(answers: Record<string, CannedResponse[]>): void {
  service.intercept = ({ method, path }: SeenRequest) => {
    const left = answers[`${method} ${path}`]
    return left && left.length > 1 ? left.shift() : left?.[0]
  }
}
const ok = (body: unknown): CannedResponse => ({ status: 200, body })

const RUN = {
  id: 'run',
  connectorId: 'source',
  status: 'succeeded',
  fullResync: false,
  startedAt: null,
  itemsDiscovered: 69,
  itemsIngested: 55,
  itemsDeleted: 0,
  errorMessage: null,
  createdAt: '2026-11-01T10:00:00.000Z',
}
const details = (run: object, more: object = {}): CannedResponse =>
  ok({ syncRun: { ...RUN, ...run }, itemsFailed: 4, failures: [], ...more })
const begun = { status: 201, body: { syncRun: RUN, alreadyActive: false } }
const syncOf = (...runs: CannedResponse[]) => ({
  'POST /v1/sync-runs': [begun],
  'GET /v1/sync-runs/run': runs,
})

describe('memory sources sync', () => {
  it("reports under the source's name, with items neither stored nor failed", async () => {
    answer(syncOf(details({})))
    expect((await memory('sources', 'sync', service.sourceId)).stdout).toBe(
      'Google Drive (push): 69 items found, 55 new or changed, 0 deleted, 4 not readable, 10 unchanged or without text\n',
    )
    answer(syncOf(details({ itemsDeleted: 3 })))
    expect((await memory('sources', 'sync', service.sourceId)).stdout).toContain(
      '10 unchanged, without text or removed',
    )
    answer(syncOf(details({ itemsIngested: 65 })))
    expect((await memory('sources', 'sync', service.sourceId)).stdout).toMatch(/4 not readable\n$/)
  })

  it("shows until when a queued run waits at the provider's request", async () => {
    const waitingUntil = '2999-11-01T10:42:30.000Z'
    answer(syncOf(details({ status: 'queued' }, { waitingUntil }), details({})))
    const { stderr } = await memory('sources', 'sync', service.sourceId)
    expect(stderr).toBe('Google Drive (push): waits until 10:42 UTC, as the provider asked\n')
  })

  it('shows the same for a running run, with its progress', async () => {
    const waitingUntil = '2999-11-01T10:42:30.000Z'
    // While a page is being stored, its items do not count as found yet.
    const partly = { status: 'running', itemsDiscovered: 0, itemsIngested: 16 }
    answer(syncOf(details(partly, { waitingUntil }), details({})))
    const { stderr } = await memory('sources', 'sync', service.sourceId)
    expect(stderr).toMatch(
      /: 16 items found, 16 stored so far; waits until 10:42 UTC, as the provider asked\n$/,
    )
  })

  const connectAgain = 'npm run memory -- connect google_drive'

  it("shows the provider's message of a failure and what happens next", async () => {
    const failed = { status: 'failed', errorMessage: 'Slack: token_revoked' }
    answer(syncOf(details(failed, { needsReconnection: true, nextRunAt: '2999-11-01T10:42:30.000Z' })))
    const revoked = await memory('sources', 'sync', service.sourceId)
    expect(revoked.code).toBe(1)
    expect(revoked.stderr).toBe(
      `Error: Google Drive (push): the sync failed: Slack: token_revoked\nThe account's access has ended. Connect it again: ${connectAgain}\n`,
    )
    answer(syncOf(details(failed)))
    expect((await memory('sources', 'sync', service.sourceId)).stderr).toContain(
      `The service retries. If the account's access was withdrawn or has expired, connect it again: ${connectAgain}`,
    )
  })

  it('says when an outage is retried, and does not advise reconnecting', async () => {
    const failed = { status: 'failed', errorMessage: 'Slack: 500 Internal Server Error' }
    answer(syncOf(details(failed, { needsReconnection: false, nextRunAt: '2999-11-01T10:42:30.000Z' })))
    expect((await memory('sources', 'sync', service.sourceId)).stderr).toBe(
      'Error: Google Drive (push): the sync failed: Slack: 500 Internal Server Error\nThe service retries at 2999-11-01 10:42 UTC.\n',
    )
    answer(syncOf(details(failed, { needsReconnection: false, nextRunAt: '2000-11-01T10:42:30.000Z' })))
    expect((await memory('sources', 'sync', service.sourceId)).stderr).toContain('retries soon')
  })

  it('works with a key that may not list sources', async () => {
    const refused = { status: 403, body: { error: 'Not allowed', code: 'forbidden' } }
    answer({ ...syncOf(details({})), 'GET /v1/sources': [refused] })
    const { code, stdout } = await memory('sources', 'sync', service.sourceId)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^sync: 69 items found/) })
  })
})

describe('memory sources list', () => {
  const source = {
    id: '11111111-0000-4000-8000-000000000000',
    provider: 'slack',
    status: 'active',
    displayName: 'Team',
    externalAccountId: 'T1',
    lastSyncedAt: null,
    errorMessage: null,
    sourceItemCount: 3,
    updatedAt: '2026-11-01T10:00:00.000Z',
  }
  const listed = async (...sources: object[]): Promise<string[]> => {
    answer({ 'GET /v1/sources': [ok({ sources })] })
    return (await memory('sources', 'list')).stdout.split('\n').slice(1)
  }

  it('distinguishes sources of the same name by account, else by id', async () => {
    const second = { ...source, id: '22222222-0000-4000-8000-000000000000' }
    const names = (lines: string[]): string[] => lines.map((line) => line.split('  ')[0] ?? '')
    expect(names(await listed(source, { ...second, externalAccountId: 'T2' }))).toEqual([
      'Team (T1)',
      'Team (T2)',
      '',
    ])
    expect(names(await listed(source, second))).toEqual(['Team (11111111)', 'Team (22222222)', ''])
    expect(names(await listed(source, { ...second, displayName: 'Other' }))).toEqual(['Team', 'Other', ''])
  })

  it('shows what happens next to each source in error, from its last run', async () => {
    const failing = (id: string, errorMessage: string): object => ({
      ...source,
      id,
      status: 'error',
      errorMessage,
    })
    const runOf = (connectorId: string, errorMessage: string): object => ({
      ...RUN,
      id: `run-of-${connectorId}`,
      connectorId,
      status: 'failed',
      errorMessage,
    })
    const runs = [runOf('a', '500'), runOf('b', 'token_revoked'), runOf('c', 'another reason')]
    answer({
      'GET /v1/sources': [
        ok({
          sources: [failing('a', '500'), failing('b', 'token_revoked'), failing('c', 'app_uninstalled')],
        }),
      ],
      'GET /v1/sync-runs': [ok({ syncRuns: runs })],
      'GET /v1/sync-runs/run-of-a': [
        details({}, { needsReconnection: false, nextRunAt: '2999-11-01T10:42:30.000Z' }),
      ],
      'GET /v1/sync-runs/run-of-b': [details({}, { needsReconnection: true })],
    })
    const lines = (await memory('sources', 'list')).stdout.split('\n')
    expect(lines.slice(4)).toEqual([
      'Team (a): 500',
      '  The service retries at 2999-11-01 10:42 UTC.',
      'Team (b): token_revoked',
      "  The account's access has ended. Connect it again: npm run memory -- connect slack",
      'Team (c): app_uninstalled',
      "  The service retries. If the account's access was withdrawn or has expired, connect it again: npm run memory -- connect slack",
      '',
    ])
  })
})

describe('memory sources channels, allow', () => {
  const channel = { id: 'C1', name: 'general', isPrivate: false, memberCount: 12 }

  it('lists channels with their allowlist state, and allowlist entries that are not channels', async () => {
    const channels = [channel, { ...channel, id: 'C2', name: 'board', isPrivate: true }]
    const path = `GET /v1/sources/${service.sourceId}/channels`
    answer({ [path]: [ok({ channels, channelAllowlist: ['C2', 'C9'] })] })
    const { stdout, stderr } = await memory('sources', 'channels', service.sourceId)
    expect(stdout.split('\n').slice(1)).toEqual([
      'C1  general  no       12       no',
      'C2  board    yes      12       yes',
      '',
    ])
    expect(stderr).toBe('On the allowlist, but not among the channels: C9\n')
  })

  it('allows the named channels, or all, and changes nothing without either', async () => {
    const path = `PATCH /v1/sources/${service.sourceId}`
    answer({ [path]: [ok({ displayName: 'Team', channelAllowlist: ['C1', 'C2'] })] })
    const { stdout } = await memory('sources', 'allow', service.sourceId, 'C1', 'C2', 'C1')
    expect(service.requests.at(-1)?.body).toEqual({ channelAllowlist: ['C1', 'C2'] })
    expect(stdout).toContain('Team: only C1, C2, from the next sync on.\n')
    expect(stdout).toContain(`sources sync ${service.sourceId}"`)
    answer({ [path]: [ok({ displayName: 'Team', channelAllowlist: null })] })
    await memory('sources', 'allow', service.sourceId, '--all')
    expect(service.requests.at(-1)?.body).toEqual({ channelAllowlist: null })
    service.requests.length = 0
    expect(await memory('sources', 'allow', service.sourceId)).toMatchObject({ code: 2 })
    expect(await memory('sources', 'allow', service.sourceId, 'C1', '--all')).toMatchObject({ code: 2 })
    expect(requested()).toEqual([])
  })
})

describe('memory sources pause, resume, delete', () => {
  it.each(['sync', 'pause', 'resume', 'delete', 'channels', 'allow'])(
    'accepts only an id as a path segment: %s',
    async (action) => {
      expect(await memory('sources', action, '../api-keys')).toMatchObject({ code: 2 })
      expect(requested()).toEqual([])
    },
  )

  it('deletes only sources of the workspace', async () => {
    answer({
      'GET /v1/console/me': [ok({ organizations: [{ id: 'o', name: 'Acme' }] })],
      'GET /v1/console/sources': [ok({ sources: [] })],
    })
    const failed = await memory('sources', 'delete', service.sourceId, '--yes')
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no source') })
    expect(requested()).toEqual(['GET /v1/console/me', 'GET /v1/console/sources'])
  })
})
