import type { DefaultProviderId as ProviderId } from '../../src/providers/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../emulators/kit/faults.ts'
import {
  ALL_PROVIDERS,
  type ConnectedService,
  countRequests,
  emulatorOf,
  type EndedRun,
  startConnectedService,
  type Workspace,
} from '../support/connected-service.ts'
import { until } from '../support/until.ts'

let service: ConnectedService
/** What the test adds to the real time, in milliseconds. */
let aheadMs = 0
/** The requests and contents of a fault-free first run, by provider. */
const clean = new Map<ProviderId, { requests: number; contents: unknown[] }>()

beforeAll(async () => {
  service = await startConnectedService({
    service: { clock: { now: () => new Date(Date.now() + aheadMs) } },
    emulators: {
      slack: { rotatesTokens: true, seed: { threadShare: 0.4 } },
      google: { files: 30, mails: 20 },
    },
  })
  // The very first run joins Slack's channels.
  const first = await service.workspace()
  await firstRun(first, await service.connect(first.owner, first.organization.id, 'slack'))
  const workspace = await service.workspace()
  for (const provider of ALL_PROVIDERS) {
    const before = runRequestsOf(provider)
    const sourceId = await connect(workspace, provider)
    const run = await firstRun(workspace, sourceId)
    if (run.status === 'failed') throw new Error(`${provider} without faults: ${run.errorMessage}`)
    clean.set(provider, {
      requests: runRequestsOf(provider) - before,
      contents: await service.contentsOf(sourceId),
    })
  }
})
afterAll(() => service.close())

const emulator = (provider: ProviderId) => emulatorOf(service.emulators, provider)
const requestsOf = (provider: ProviderId): number =>
  countRequests(emulator(provider), emulator(provider).content)
/** Only requests of runs: polls of Slack's permissions list its channels too. */
const runRequestsOf = (provider: ProviderId): number =>
  provider === 'slack'
    ? countRequests(emulator(provider), '/api/conversations.history')
    : requestsOf(provider)
const connect = ({ owner, organization }: Workspace, provider: ProviderId): Promise<string> =>
  service.connect(owner, organization.id, provider)
const firstRun = ({ organization }: Workspace, sourceId: string): Promise<EndedRun> =>
  service.runEnded(organization, sourceId)

const runsOf = async ({ organization }: Workspace, sourceId: string): Promise<EndedRun[]> =>
  (await service.call('GET', '/v1/sync-runs', { key: organization.adminKey })).body.syncRuns.filter(
    (run: { connectorId: string }) => run.connectorId === sourceId,
  )

function clearFaults(): void {
  for (const { faults } of [service.emulators.slack, service.emulators.google, service.emulators.notion])
    faults.clear()
}

const googleRefusal = (code: number, reason: string) => ({
  error: { code, message: reason, errors: [{ message: reason, domain: 'usageLimits', reason }] },
})
const notionRefusal = (status: number, code: string) => ({ object: 'error', status, code, message: code })
const soon = { 'retry-after': '1' }

/**
 * A burst of refusals in each provider's own form, in the middle of a run: their number, and the minimum wait (Google
 * is asked for several items at once, which wait together).
 */
const BURSTS: Record<ProviderId, { refusals: number; waitMs: number; faults: Fault[] }> = {
  slack: {
    refusals: 2,
    waitMs: 1_000,
    faults: [
      {
        path: '/api/conversations.history',
        every: 2,
        times: 2,
        status: 429,
        headers: soon,
        body: { ok: false, error: 'ratelimited' },
      },
    ],
  },
  google_drive: {
    refusals: 4,
    waitMs: 5_000,
    faults: [
      // Drive's own form names no time.
      {
        path: '/drive/v3/files/1File',
        every: 5,
        times: 1,
        status: 403,
        body: googleRefusal(403, 'userRateLimitExceeded'),
      },
      {
        path: '/drive/v3/files/1File',
        every: 4,
        times: 3,
        status: 429,
        headers: soon,
        body: googleRefusal(429, 'rateLimitExceeded'),
      },
    ],
  },
  gmail: {
    refusals: 6,
    waitMs: 1_000,
    faults: [
      {
        path: '/gmail/v1/users/me/messages/',
        every: 4,
        times: 3,
        status: 403,
        headers: soon,
        body: googleRefusal(403, 'userRateLimitExceeded'),
      },
      {
        path: '/gmail/v1/users/me/messages/',
        every: 5,
        times: 3,
        status: 429,
        headers: soon,
        body: googleRefusal(429, 'rateLimitExceeded'),
      },
    ],
  },
  notion: {
    refusals: 4,
    waitMs: 4_000,
    faults: [
      {
        path: '/v1/pages/',
        every: 3,
        times: 2,
        status: 429,
        headers: soon,
        body: notionRefusal(429, 'rate_limited'),
      },
      {
        path: '/v1/pages/',
        every: 4,
        times: 2,
        status: 529,
        headers: soon,
        body: notionRefusal(529, 'service_overload'),
      },
    ],
  },
}

describe('a burst of rate limits in the middle of a first run', () => {
  afterAll(clearFaults)

  it.concurrent.for(ALL_PROVIDERS)(
    'of %s is waited out: everything is stored once, and each refusal costs one more request [SYNC-15]',
    async (provider) => {
      const workspace = await service.workspace()
      const before = runRequestsOf(provider)
      const { faults, refusals, waitMs } = BURSTS[provider]
      for (const fault of faults) emulator(provider).faults.add(fault)
      const sourceId = await connect(workspace, provider)
      const run = await firstRun(workspace, sourceId)
      expect(run).toMatchObject({ status: 'succeeded', errorMessage: null })
      expect(Date.parse(run.finishedAt) - Date.parse(run.startedAt)).toBeGreaterThanOrEqual(waitMs)
      const { contents, requests } = clean.get(provider) ?? { contents: [], requests: 0 }
      expect(await service.contentsOf(sourceId)).toEqual(contents)
      expect(runRequestsOf(provider) - before).toBe(requests + refusals)
    },
  )
})

describe('an access token that the provider calls expired in the middle of a run', () => {
  afterAll(clearFaults)

  it.concurrent.for([
    ['slack', ['slack']],
    ['notion', ['notion']],
    ['Google', ['google_drive', 'gmail']],
  ] as const)(
    'is renewed once at %s for all who need it, and the new one stored encrypted [SYNC-16, CONN-6, CONN-8]',
    async ([, providers]) => {
      const workspace = await service.workspace()
      const { organization } = workspace
      const sources = []
      for (const provider of providers) {
        emulator(provider).faults.add({ path: emulator(provider).api, times: 60, delayMs: 30 })
        const before = requestsOf(provider)
        const sourceId = await connect(workspace, provider)
        sources.push({
          provider,
          sourceId,
          before,
          granted: await service.storedGrant(organization, sourceId),
        })
      }
      const [{ provider: any } = { provider: 'slack' as const }] = sources
      const { grants, tokenPath } = emulator(any)
      const exchanged = countRequests(emulator(any), tokenPath)
      for (const { provider, before, granted } of sources) {
        await until(
          'a run that is under way',
          () => requestsOf(provider) - before,
          (requests) => requests > 4,
        )
        Object.assign(grants.grantOf(granted.accessToken) ?? {}, { expiresAt: 0 })
      }
      // Other callers that need the token during the renewal.
      const others = sources
        .filter(({ provider }) => provider === 'slack')
        .flatMap(({ sourceId }) =>
          [1, 2, 3].map(() =>
            service.call('GET', `/v1/sources/${sourceId}/channels`, { key: organization.adminKey }),
          ),
        )
      for (const other of await Promise.all(others)) expect(other.status).toBe(200)
      for (const { provider, sourceId, granted } of sources) {
        expect(await firstRun(workspace, sourceId), provider).toMatchObject({ status: 'succeeded' })
        expect(await service.contentsOf(sourceId)).toEqual(clean.get(provider)?.contents)
        const renewed = await service.storedGrant(organization, sourceId)
        expect(renewed.accessToken).not.toBe(granted.accessToken)
        expect(grants.check(renewed.accessToken)).toBe('valid')
        for (const secret of [renewed.accessToken, renewed.refreshToken ?? ''])
          expect(renewed.ciphertext.includes(Buffer.from(secret))).toBe(false)
      }
      expect(countRequests(emulator(any), tokenPath) - exchanged).toBe(sources.length)
    },
  )
})

/** The provider's message about a revoked token, and about its renewal if one is due. */
const WITHDRAWN: Record<ProviderId, { asked: string; renewed: string }> = {
  slack: { asked: 'token_revoked', renewed: 'token_revoked' },
  notion: { asked: 'API token is invalid.', renewed: 'API token is invalid.' },
  google_drive: {
    asked: 'Invalid Credentials',
    renewed: 'invalid_grant: Token has been expired or revoked.',
  },
  gmail: { asked: 'Invalid Credentials', renewed: 'invalid_grant: Token has been expired or revoked.' },
}
/** Late enough that Google's one-hour tokens are due for renewal, but the users' tokens are not. */
const LATER_MS = 56 * 60_000

describe('a grant that its owner revoked at the provider', () => {
  it("fails the run with the provider's message, is not polled with the other sources, and recovers when the account is reconnected [SYNC-1, SYNC-6, SYNC-10, SYNC-17, SYNC-24, OAUTH-10]", async () => {
    const healthy = await service.workspace()
    const healthyId = await connect(healthy, 'gmail')
    await firstRun(healthy, healthyId)
    const { accessToken } = await service.storedGrant(healthy.organization, healthyId)
    const workspace = await service.workspace()
    const { organization } = workspace
    const sources = new Map<ProviderId, string>()
    for (const provider of ALL_PROVIDERS) {
      const sourceId = await connect(workspace, provider)
      await firstRun(workspace, sourceId)
      sources.set(provider, sourceId)
    }
    for (const [provider, sourceId] of sources) {
      emulator(provider).grants.revoke((await service.storedGrant(organization, sourceId)).accessToken)
      const errorMessage = WITHDRAWN[provider].asked
      const failed = await service.sync(organization, sourceId)
      expect(failed).toMatchObject({ status: 'failed', errorMessage })
      expect(await service.runDetails(organization, failed.id)).toMatchObject({ needsReconnection: true })
      expect(await service.findSource(organization, sourceId)).toMatchObject({
        status: 'error',
        errorMessage,
      })
    }
    aheadMs = LATER_MS
    await until(
      'a poll of the other source',
      () => runsOf(healthy, healthyId),
      ([run, ...others]) => others.length > 0 && run?.status === 'succeeded',
    )
    const { auditEvents } = (
      await service.call('GET', '/v1/audit-events', { key: healthy.organization.adminKey })
    ).body
    expect(auditEvents.map(({ action }: { action: string }) => action)).not.toContain('sync_run.create')
    // Its token was renewed before it expired.
    expect((await service.storedGrant(healthy.organization, healthyId)).accessToken).not.toBe(accessToken)
    for (const [provider, sourceId] of sources) {
      expect(await runsOf(workspace, sourceId), provider).toHaveLength(2)
      const errorMessage = WITHDRAWN[provider].renewed
      expect(await service.sync(organization, sourceId), provider).toMatchObject({ errorMessage })
      const contents = await service.contentsOf(sourceId)
      expect(await connect(workspace, provider)).toBe(sourceId)
      expect(await firstRun(workspace, sourceId)).toMatchObject({ status: 'succeeded', itemsIngested: 0 })
      expect(await service.contentsOf(sourceId)).toEqual(contents)
      expect(await service.findSource(organization, sourceId)).toMatchObject({
        status: 'active',
        errorMessage: null,
      })
    }
  })
})
