import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ACTIONS } from '../kernel/actions.ts'
import { startTestService, type TestOrganization, type TestService } from '../../test/support/service.ts'

let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  organization = await service.organization()
})
afterAll(() => service.close())

const PATH = '/v1/maintenance/slack/cleanup-system-events'
const withKey = (method: string, path: string, body?: unknown) =>
  service.call(method, path, { key: organization.adminKey, body })

describe('the cleanup of Slack system events', () => {
  const message = (externalId: string, values: object) => ({
    connectorId: organization.sources.slack,
    provider: 'slack',
    sourceKind: 'message',
    externalId,
    title: '#general',
    body: 'We ship on Friday.',
    ...values,
  })

  it('counts in a dry run, and otherwise deletes only items that are not content [MAINT-1, MAINT-2, MAINT-3]', async () => {
    const documents = [
      message('1', {}),
      message('2', { metadata: { subtype: 'channel_join' } }),
      message('3', { body: '<@U123ABC> has joined the channel' }),
      message('4', { metadata: { subtype: 'bot_message' } }),
      message('5', { body: 'I think @ana has joined the channel to help with the release.' }),
    ]
    await withKey('POST', '/v1/ingest', { documents })
    expect(await withKey('POST', PATH, { dryRun: true })).toMatchObject({
      status: 200,
      body: { scanned: 5, deleted: 2, dryRun: true },
    })
    expect((await withKey('POST', PATH, {})).body).toEqual({ scanned: 5, deleted: 2, dryRun: false })
    expect((await withKey('POST', PATH, {})).body).toEqual({ scanned: 3, deleted: 0, dryRun: false })
    const { auditEvents } = (await withKey('GET', '/v1/audit-events')).body
    const recorded = auditEvents.filter(
      ({ action }: { action: string }) => action === 'maintenance.slack.cleanup_system_events',
    )
    expect(recorded.map(({ metadata }: { metadata: object }) => metadata)).toEqual([
      { scanned: 3, deleted: 0, dryRun: false },
      { scanned: 5, deleted: 2, dryRun: false },
      { scanned: 5, deleted: 2, dryRun: true },
    ])
  })

  it('ignores other workspaces, and refuses a key without access to Slack [MAINT-5, KEY-19]', async () => {
    await withKey('POST', '/v1/ingest', {
      documents: [message('1', { metadata: { subtype: 'channel_join' } })],
    })
    const other = await service.organization()
    const answer = await service.call('POST', PATH, { key: other.adminKey, body: {} })
    expect(answer.body).toEqual({ scanned: 0, deleted: 0, dryRun: false })
    const scoped = await organization.mint({ providers: ['notion'] })
    expect(await service.call('POST', PATH, { key: scoped.secret, body: {} })).toMatchObject({
      status: 403,
      body: { code: 'provider_not_allowed' },
    })
  })

  it('requires the admin action, and accepts only dryRun [MAINT-1, MAINT-4]', async () => {
    const { secret } = await organization.mint({ actions: ACTIONS.filter((action) => action !== 'admin') })
    expect(await service.call('POST', PATH, { key: secret, body: {} })).toMatchObject({ status: 403 })
    expect(await withKey('POST', PATH, { dryrun: true })).toMatchObject({ status: 400 })
  })
})
