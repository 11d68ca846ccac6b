import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DefaultProviderId as ProviderId } from '../providers/index.ts'
import {
  ALL_PROVIDERS,
  type ConnectedService,
  startConnectedService,
  type Workspace,
} from '../../test/support/connected-service.ts'

let service: ConnectedService

beforeAll(async () => {
  service = await startConnectedService({ service: { environment: { SYNC_INTERVAL_MINUTES: '40' } } })
})
afterAll(() => service.close())

async function connected(workspace: Workspace, provider: ProviderId): Promise<string> {
  const { owner, organization } = workspace
  const sourceId = await service.connect(owner, organization.id, provider)
  expect(await service.runEnded(organization, sourceId)).toMatchObject({ status: 'succeeded' })
  return sourceId
}

describe('the health of access policies', () => {
  it('appears for Google Drive only: how many files lack one, and how to fix it [CONN-11]', async () => {
    const workspace = await service.workspace()
    const { organization } = workspace
    for (const provider of ALL_PROVIDERS.filter((one) => one !== 'google_drive')) {
      const source = await service.findSource(organization, await connected(workspace, provider))
      expect(source, provider).toMatchObject({ policyHealth: null })
    }
    const driveId = await connected(workspace, 'google_drive')
    const healthy = await service.findSource(organization, driveId)
    const files = healthy?.sourceItemCount ?? 0
    expect(healthy?.policyHealth).toEqual({ status: 'ok', files, filesWithoutPolicy: 0, warnings: [] })
    const { drive } = service.emulators.google
    drive.create({
      name: 'untold.txt',
      mimeType: 'text/plain',
      content: 'Nobody tells whose.',
      permissions: [],
    })
    await service.sync(organization, driveId)
    expect((await service.findSource(organization, driveId))?.policyHealth).toEqual({
      status: 'warning',
      files: files + 1,
      filesWithoutPolicy: 1,
      warnings: [
        {
          code: 'access_policy_missing',
          message: expect.stringMatching(/^1 file is stored without an access policy/),
          cure: expect.stringContaining('fullResync'),
        },
      ],
    })
  })
})

describe('the next poll of a source', () => {
  it('comes SYNC_INTERVAL_MINUTES after its run, up to 5% earlier or later [SYNC-1]', async () => {
    const sourceId = await connected(await service.workspace(), 'slack')
    const { next_poll_at: poll, last_synced_at: synced } = await service.database.db
      .selectFrom('sources')
      .select(['next_poll_at', 'last_synced_at'])
      .where('id', '=', sourceId)
      .executeTakeFirstOrThrow()
    const minutes = ((poll?.getTime() ?? 0) - (synced?.getTime() ?? 0)) / 60_000
    expect(minutes).toBeGreaterThanOrEqual(38)
    expect(minutes).toBeLessThanOrEqual(42)
  })
})

describe('a changed allowlist', () => {
  it('takes effect with the next run, which deletes the items of other channels [SYNC-12]', async () => {
    const workspace = await service.workspace()
    const { organization } = workspace
    const sourceId = await connected(workspace, 'slack')
    const { state } = service.emulators.slack
    const [listed = '', other = ''] = state.channels().map(({ id }) => id)
    const body = { channelAllowlist: [listed] }
    const path = `/v1/sources/${sourceId}`
    expect((await service.call('PATCH', path, { key: organization.adminKey, body })).status).toBe(200)
    state.post(listed, { text: 'The walrus parade starts at noon.' })
    state.post(other, { text: 'The ocelot auction is off.' })
    const run = await service.sync(organization, sourceId)
    expect(run).toMatchObject({ status: 'succeeded', fullResync: false })
    expect(run.itemsDeleted).toBeGreaterThan(0)
    const items = await service.database.db
      .selectFrom('source_items')
      .select(['body', 'external_id'])
      .where('source_id', '=', sourceId)
      .execute()
    expect(items.filter(({ body: text }) => text.includes('walrus'))).toHaveLength(1)
    expect(items.every(({ external_id: id }) => id.includes(`/${listed}/`))).toBe(true)
  })
})
