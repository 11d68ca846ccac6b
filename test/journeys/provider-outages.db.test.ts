import type { DefaultProviderId as ProviderId } from '../../src/providers/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../emulators/kit/faults.ts'
import {
  ALL_PROVIDERS,
  type ConnectedService,
  emulatorOf,
  sleepBriefly,
  startConnectedService,
  type Workspace,
  writeAtProvider,
} from '../support/connected-service.ts'

let service: ConnectedService

beforeAll(async () => {
  service = await startConnectedService({
    service: { sleep: sleepBriefly },
    emulators: { slack: { seed: { threadShare: 0.4 } } },
  })
})
afterAll(() => service.close())

const emulator = (provider: ProviderId) => emulatorOf(service.emulators, provider)

/** A workspace with one connected account whose first run succeeded. */
async function connected(provider: ProviderId): Promise<Workspace & { sourceId: string }> {
  const workspace = await service.workspace()
  const sourceId = await service.connect(workspace.owner, workspace.organization.id, provider)
  expect(await service.runEnded(workspace.organization, sourceId)).toMatchObject({
    status: 'succeeded',
    errorMessage: null,
  })
  return { ...workspace, sourceId }
}

describe('a short outage in the middle of a first run', () => {
  it.concurrent.for(ALL_PROVIDERS)(
    'of %s, cut connections and server errors, is waited out [SYNC-18]',
    async (provider) => {
      const { faults, content: path } = emulator(provider)
      const whole = await connected(provider)
      faults.add({ path, every: 3, times: 1, drop: true })
      faults.add({ path, every: 4, times: 1, status: 503 })
      const { sourceId } = await connected(provider)
      expect(await service.contentsOf(sourceId)).toEqual(await service.contentsOf(whole.sourceId))
    },
  )
})

/** The forms of a provider's outage, and the messages users see. */
const OUTAGES: Record<ProviderId, { fault: Fault; says: RegExp }> = {
  slack: { fault: { path: '/api/', status: 503 }, says: /^503 Service Unavailable$/ },
  google_drive: {
    fault: { path: '/drive/v3/', status: 500, body: { error: { code: 500, message: 'Internal Error' } } },
    says: /^Internal Error$/,
  },
  gmail: { fault: { path: '/gmail/v1/', drop: true }, says: /^Gmail did not answer \(fetch failed/ },
  notion: { fault: { path: '/v1/', drop: true }, says: /^Notion did not answer \(fetch failed/ },
}

describe('a provider that is down', () => {
  it.concurrent.for(ALL_PROVIDERS)(
    'with %s fails the run with a clear message, loses nothing, and is caught up by the next run [SYNC-6, SYNC-18, SYNC-25]',
    async (provider) => {
      const { organization, sourceId } = await connected(provider)
      const before = await service.contentsOf(sourceId)
      const { says } = OUTAGES[provider]
      const fault = { ...OUTAGES[provider].fault }
      emulator(provider).faults.add(fault)
      const failed = await service.sync(organization, sourceId)
      expect(failed).toMatchObject({ status: 'failed', errorMessage: expect.stringMatching(says) })
      const { errorMessage } = failed
      // Waiting helps, reconnecting does not.
      const { needsReconnection, nextRunAt } = await service.runDetails(organization, failed.id)
      expect(needsReconnection).toBe(false)
      expect(Date.parse(nextRunAt ?? '')).toBeGreaterThan(Date.now())
      expect(await service.findSource(organization, sourceId)).toMatchObject({
        status: 'error',
        errorMessage,
      })
      expect(await service.contentsOf(sourceId)).toEqual(before)
      // Drive and Gmail share an emulator: only this outage ends.
      Object.assign(fault, { times: 0 })
      writeAtProvider(service.emulators, provider, {
        title: `After ${provider}`,
        text: 'The outage is over.',
      })
      expect(await service.sync(organization, sourceId)).toMatchObject({ status: 'succeeded' })
      expect(await service.contentsOf(sourceId)).toHaveLength(before.length + 1)
      expect(await service.findSource(organization, sourceId)).toMatchObject({
        status: 'active',
        errorMessage: null,
      })
    },
  )
})
