import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ConnectedService,
  followRedirects,
  startConnectedService,
  type Workspace,
} from '../../test/support/connected-service.ts'
import { signIn } from '../../test/support/people.ts'
import { startTestService } from '../../test/support/service.ts'

let service: ConnectedService

beforeAll(async () => {
  service = await startConnectedService()
})
afterAll(() => service.close())

const authorize = ({ owner }: Workspace, provider: string) =>
  service.call('POST', `/v1/console/connectors/${provider}/authorize`, { key: owner.token })

/** What the provider sends the browser back with, after the page at `url`. */
const callbackOf = async (url: string): Promise<string> =>
  (await followRedirects(url, `${service.url}/v1/oauth/`)).slice(service.url.length)

const connectedSources = async ({ organization }: Workspace): Promise<string[]> =>
  (await service.call('GET', '/v1/sources', { key: organization.adminKey })).body.sources
    .map(({ id }: { id: string }) => id)
    .filter((id: string) => !Object.values(organization.sources).includes(id))

describe('the page that authorize answers', () => {
  it("is the provider's, with a state nobody can guess and where to come back to [OAUTH-1]", async () => {
    const workspace = await service.workspace()
    const states = new Set<string | null>()
    for (const provider of ['slack', 'notion']) {
      const { status, body } = await authorize(workspace, provider)
      expect(status).toBe(200)
      const { searchParams } = new URL(body.url)
      expect(searchParams.get('redirect_uri')).toBe(`${service.url}/v1/oauth/${provider}/callback`)
      expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/)
      states.add(searchParams.get('state'))
    }
    expect(states.size).toBe(2)
  })

  it('binds the code to a challenge where the provider takes one: no other verifier redeems it [OAUTH-1]', async () => {
    const workspace = await service.workspace()
    await service.grant(workspace.organization.id, 'gmail')
    const url = new URL((await authorize(workspace, 'gmail')).body.url)
    expect(url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    url.searchParams.set('code_challenge', 'A'.repeat(43))
    expect(await service.call('GET', await callbackOf(url.href))).toMatchObject({
      status: 502,
      body: { code: 'upstream_error', error: expect.stringContaining('invalid_grant') },
    })
    expect(await connectedSources(workspace)).toEqual([])
  })
})

describe('the callback', () => {
  it('needs no key and no token, and leads back to the console with the source [OAUTH-6, OAUTH-7]', async () => {
    const workspace = await service.workspace()
    const path = await callbackOf((await authorize(workspace, 'slack')).body.url)
    const answer = await service.call('GET', path, { headers: { Authorization: 'Bearer nonsense' } })
    expect(answer.status).toBe(302)
    const [sourceId] = await connectedSources(workspace)
    expect(answer.headers.get('location')).toBe(
      `${service.url}/console/sources?provider=slack&connected=${sourceId}`,
    )
  })

  it('connects in the workspace where the flow began, whoever calls it [OAUTH-5]', async () => {
    const workspace = await service.workspace()
    const stranger = await service.workspace()
    const path = await callbackOf((await authorize(workspace, 'slack')).body.url)
    const headers = { 'X-Organization-Id': stranger.organization.id }
    expect((await service.call('GET', path, { key: stranger.owner.token, headers })).status).toBe(302)
    expect(await connectedSources(workspace)).toHaveLength(1)
    expect(await connectedSources(stranger)).toEqual([])
  })

  it('says in the words of the provider that it is down, and stores nothing [OAUTH-9]', async () => {
    const workspace = await service.workspace()
    const { faults } = service.emulators.notion
    const body = {
      object: 'error',
      status: 503,
      code: 'service_unavailable',
      message: 'Notion is unavailable.',
    }
    const path = await callbackOf((await authorize(workspace, 'notion')).body.url)
    faults.add({ path: '/v1/oauth/token', status: 503, body })
    expect(await service.call('GET', path)).toMatchObject({
      status: 502,
      body: { code: 'upstream_error', error: expect.stringContaining('Notion is unavailable.') },
    })
    faults.clear()
    expect(await connectedSources(workspace)).toEqual([])
  })
})

describe('GATED_PROVIDERS', () => {
  it('says which providers need the leave of the operator [CONN-1]', async () => {
    const other = await startTestService({
      environment: {
        ...service.emulators.environment,
        ...service.issuer.environment,
        GATED_PROVIDERS: 'notion',
      },
    })
    try {
      const { id: organizationId } = await other.organization()
      const { token } = await signIn(other, service.issuer, 'ada', { organizationId, role: 'owner' })
      const begin = (provider: string) =>
        other.call('POST', `/v1/console/connectors/${provider}/authorize`, { key: token })
      expect(await begin('notion')).toMatchObject({
        status: 403,
        body: { code: 'connector_access_required' },
      })
      for (const provider of ['slack', 'google_drive', 'gmail'])
        expect((await begin(provider)).status, provider).toBe(200)
    } finally {
      await other.close()
    }
  })
})
