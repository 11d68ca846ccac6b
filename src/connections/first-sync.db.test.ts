import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cookiesOf, followRedirects } from '../../test/support/browser.ts'
import {
  type ConnectedService,
  startConnectedService,
  type Workspace,
} from '../../test/support/connected-service.ts'
import { noteAnnouncement } from '../sources/index.ts'
import { until } from '../../test/support/until.ts'

let service: ConnectedService

beforeAll(async () => {
  service = await startConnectedService()
})
afterAll(() => service.close())

/** Connects an account as the console does. @returns the source's id */
async function connect({ owner }: Workspace, provider: string, query = ''): Promise<string> {
  const path = `/v1/console/connectors/${provider}/authorize${query}`
  const { status, body, headers } = await service.call('POST', path, { key: owner.token })
  expect(status).toBe(200)
  const back = await followRedirects(body.url, `${service.url}/console/`, {
    origin: service.url,
    cookies: cookiesOf(headers),
  })
  return new URL(back).searchParams.get('connected') ?? ''
}

const runsOf = async ({ organization }: Workspace): Promise<{ connectorId: string }[]> =>
  (await service.call('GET', '/v1/sync-runs', { key: organization.adminKey })).body.syncRuns

describe('the first sync of a new source', () => {
  it('starts once the account is connected, unless the caller says otherwise', async () => {
    const workspace = await service.workspace()
    const sourceId = await connect(workspace, 'slack')
    expect(await runsOf(workspace)).toMatchObject([{ connectorId: sourceId }])
  })

  it('waits for the choice of channels if the caller wants to choose, and reads only those', async () => {
    const workspace = await service.workspace()
    const sourceId = await connect(workspace, 'slack', '?firstSync=after_choice')
    expect(await runsOf(workspace)).toEqual([])
    const [channel] = service.emulators.slack.state.channels()
    const change = { channelAllowlist: [channel?.id] }
    const as = { key: workspace.owner.token }
    await service.call('PATCH', `/v1/console/sources/${sourceId}`, { ...as, body: change })
    const { status } = await service.call('POST', '/v1/console/sync-runs', {
      ...as,
      body: { connectorId: sourceId },
    })
    expect(status).toBe(201)
    expect(await service.runEnded(workspace.organization, sourceId)).toMatchObject({
      status: 'succeeded',
      itemsDeleted: 0,
    })
  })

  it('starts without a choice after 15 minutes, and is not advanced by events of the provider', async () => {
    const workspace = await service.workspace()
    const sourceId = await connect(workspace, 'slack', '?firstSync=after_choice')
    const { db } = service.database
    const due = async () =>
      await db
        .selectFrom('sources')
        .select(['next_poll_at', 'created_at'])
        .where('id', '=', sourceId)
        .executeTakeFirstOrThrow()
    const announced = { at: new Date(), pollAt: new Date() }
    const ref = { organizationId: workspace.organization.id, sourceId }
    await db.transaction().execute((tx) => noteAnnouncement(tx, ref, announced))
    const { next_poll_at: at, created_at: connectedAt } = await due()
    expect(Number(at) - Number(connectedAt)).toBe(15 * 60_000)
    await db
      .updateTable('sources')
      .set({ next_poll_at: new Date(0) })
      .where('id', '=', sourceId)
      .execute()
    await until(
      'its first run',
      () => runsOf(workspace),
      (runs) => runs.length === 1,
    )
  })

  it('starts at once where there are no channels', async () => {
    const workspace = await service.workspace()
    const sourceId = await connect(workspace, 'notion', '?firstSync=after_choice')
    expect(await runsOf(workspace)).toMatchObject([{ connectorId: sourceId }])
  })

  it('starts at once when an account is connected again', async () => {
    const workspace = await service.workspace()
    await connect(workspace, 'slack', '?firstSync=after_choice')
    const sourceId = await connect(workspace, 'slack', '?firstSync=after_choice')
    expect(await runsOf(workspace)).toMatchObject([{ connectorId: sourceId }])
  })
})
