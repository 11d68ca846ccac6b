import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clickButton, cookiesOf, followRedirects, formOf } from '../../test/support/browser.ts'
import {
  type ConnectedService,
  startConnectedService,
  type Workspace,
} from '../../test/support/connected-service.ts'
import { flowCookie } from './flow-cookie.ts'
import { signIn } from '../../test/support/people.ts'
import { startTestService } from '../../test/support/service.ts'

let service: ConnectedService

beforeAll(async () => {
  service = await startConnectedService()
})
afterAll(() => service.close())

const authorize = ({ owner }: Workspace, provider: string) =>
  service.call('POST', `/v1/console/connectors/${provider}/authorize`, { key: owner.token })

/** Begins in a browser; returns the provider's redirect and the browser's cookie. */
async function begin(
  workspace: Workspace,
  provider: string,
): Promise<{ path: string; headers: { Cookie: string } }> {
  const { status, body, headers } = await authorize(workspace, provider)
  expect(status).toBe(200)
  return { path: await callbackOf(body.url), headers: { Cookie: cookiesOf(headers) } }
}

/** The provider's redirect after the page at `url`. */
const callbackOf = async (url: string): Promise<string> =>
  (await followRedirects(url, `${service.url}/v1/oauth/`)).slice(service.url.length)

const connectedSources = async ({ organization }: Workspace): Promise<string[]> =>
  (await service.call('GET', '/v1/sources', { key: organization.adminKey })).body.sources
    .map(({ id }: { id: string }) => id)
    .filter((id: string) => !Object.values(organization.sources).includes(id))

describe('the page that authorize returns', () => {
  it("is the provider's, with an unguessable state and the redirect URI [OAUTH-1]", async () => {
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

  it('binds the code to a challenge when the provider supports it: no other verifier redeems it [OAUTH-1]', async () => {
    const workspace = await service.workspace()
    await service.grant(workspace.organization.id, 'gmail')
    const begun = await authorize(workspace, 'gmail')
    const url = new URL(begun.body.url)
    expect(url.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    expect(url.searchParams.get('code_challenge_method')).toBe('S256')
    url.searchParams.set('code_challenge', 'A'.repeat(43))
    const headers = { Cookie: cookiesOf(begun.headers) }
    expect(await service.call('GET', await callbackOf(url.href), { headers })).toMatchObject({
      status: 502,
      body: { code: 'upstream_error', error: expect.stringContaining('invalid_grant') },
    })
    expect(await connectedSources(workspace)).toEqual([])
  })
})

describe('the callback', () => {
  it('needs no key or token, and redirects to the console with the source [OAUTH-6, OAUTH-7]', async () => {
    const workspace = await service.workspace()
    const { path, headers } = await begin(workspace, 'slack')
    const answer = await service.call('GET', path, {
      headers: { ...headers, Authorization: 'Bearer nonsense' },
    })
    expect(answer.status).toBe(302)
    const [sourceId] = await connectedSources(workspace)
    expect(answer.headers.get('location')).toBe(
      `${service.url}/console/sources?provider=slack&connected=${sourceId}`,
    )
  })

  it('redirects to the page of the source if its account was connected before', async () => {
    const workspace = await service.workspace()
    const callBack = async () => {
      const { path, headers } = await begin(workspace, 'slack')
      return await service.call('GET', path, { headers })
    }
    expect((await callBack()).status).toBe(302)
    const [sourceId] = await connectedSources(workspace)
    const answer = await callBack()
    expect(answer.headers.get('location')).toBe(
      `${service.url}/console/sources/${sourceId}?provider=slack&connected=${sourceId}&reconnected=true`,
    )
  })

  it('connects in the workspace where the flow began, in any browser [OAUTH-5]', async () => {
    const workspace = await service.workspace()
    const stranger = await service.workspace()
    const { path, headers: cookie } = await begin(workspace, 'slack')
    const headers = { ...cookie, 'X-Organization-Id': stranger.organization.id }
    expect((await service.call('GET', path, { key: stranger.owner.token, headers })).status).toBe(302)
    expect(await connectedSources(workspace)).toHaveLength(1)
    expect(await connectedSources(stranger)).toEqual([])
  })

  it("reports an outage in the provider's words, and stores nothing [OAUTH-9]", async () => {
    const workspace = await service.workspace()
    const { faults } = service.emulators.notion
    const body = {
      object: 'error',
      status: 503,
      code: 'service_unavailable',
      message: 'Notion is unavailable.',
    }
    const { path, headers } = await begin(workspace, 'notion')
    faults.add({ path: '/v1/oauth/token', status: 503, body })
    expect(await service.call('GET', path, { headers })).toMatchObject({
      status: 502,
      body: { code: 'upstream_error', error: expect.stringContaining('Notion is unavailable.') },
    })
    faults.clear()
    expect(await connectedSources(workspace)).toEqual([])
  })
})

describe('the browser in which the flow began', () => {
  it('is identified by a cookie that only the callback receives and no script can read [OAUTH-12]', async () => {
    const workspace = await service.workspace()
    const { headers, body } = await authorize(workspace, 'slack')
    const cookie = headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^memory_oauth=[\w-]{43}; Path=\/v1\/oauth\/slack; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
    // The cookie is not the state, which every link contains.
    expect(cookie).not.toContain(new URL(body.url).searchParams.get('state'))
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it("gets a Secure cookie only for an https service, under the service's path [OAUTH-12]", () => {
    expect(flowCookie('https://memory.example.com/api', 'gmail', 'x')).toBe(
      'memory_oauth=x; Path=/api/v1/oauth/gmail; Max-Age=600; HttpOnly; SameSite=Lax; Secure',
    )
  })

  const TABLES = ['oauth_states', 'sources', 'source_credentials', 'audit_events'] as const
  it.each([
    ['none', ''],
    ['a made-up one', `memory_oauth=${'A'.repeat(43)}`],
    ['one of another flow', undefined],
    ['a broken one', 'memory_oauth=%00; memory_oauth'],
  ])(
    'is not one with %s: that one gets a question, and nothing is stored [OAUTH-13]',
    async (_what, kept) => {
      const workspaces = [await service.workspace(), await service.workspace()] as const
      const other = await begin(workspaces[1], 'slack')
      const { path } = await begin(workspaces[0], 'slack')
      const ids = workspaces.map(({ organization }) => organization.id)
      const { db } = service.database
      // Only of these workspaces, because the accounts of other tests may sync meanwhile.
      const stored = async (): Promise<string[]> => {
        const found = await Promise.all(
          TABLES.map((table) =>
            db.selectFrom(table).selectAll().where('organization_id', 'in', ids).execute(),
          ),
        )
        return found
          .flat()
          .map((row) => JSON.stringify(row))
          .toSorted()
      }
      const exchanges = () => service.emulators.slack.requests.byPath()['/api/oauth.v2.access'] ?? 0
      const before = [await stored(), exchanges()]
      const headers: Record<string, string> = kept === '' ? {} : { Cookie: kept ?? other.headers.Cookie }
      for (let look = 0; look < 2; look++) {
        const asked = await service.call('GET', path, { headers })
        expect(asked.status).toBe(200)
        expect(asked.text).toContain('Connect Slack?')
      }
      expect([await stored(), exchanges()]).toEqual(before)
    },
  )
})

describe('another browser', () => {
  it('shows who asked and for which workspace, and connects with one click, once [OAUTH-13]', async () => {
    const workspace = await service.workspace()
    const { path } = await begin(workspace, 'slack')
    const asked = await service.call('GET', path)
    expect(asked).toMatchObject({ status: 200 })
    expect(asked.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const { name: workspaceName } = await service.database.db
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', workspace.organization.id)
      .executeTakeFirstOrThrow()
    expect(asked.text).toContain(workspaceName)
    expect(asked.text).toContain(`${workspace.organization.id}@example.com`)
    expect(await connectedSources(workspace)).toEqual([])

    const clicked = await clickButton(asked.text, service.url)
    expect(clicked.status).toBe(303)
    const [sourceId] = await connectedSources(workspace)
    expect(clicked.headers.get('location')).toBe(
      `${service.url}/console/sources?provider=slack&connected=${sourceId}`,
    )
    expect((await clickButton(asked.text, service.url)).status).toBe(400)
    expect(await service.call('GET', path)).toMatchObject({ status: 400, body: { code: 'malformed_state' } })
    expect(await connectedSources(workspace)).toHaveLength(1)
  })

  it('gets an uncacheable page without scripts or frames that does not reveal the code [OAUTH-13, OAUTH-14]', async () => {
    const workspace = await service.workspace()
    const { path } = await begin(workspace, 'slack')
    const { text, headers } = await service.call('GET', path)
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(/<script|javascript:|\son\w+=/)
    const { searchParams } = new URL(path, service.url)
    for (const name of ['code', 'state']) expect(text).not.toContain(searchParams.get(name))
    const sealed = formOf(text, service.url).fields['confirmation'] ?? ''
    for (const name of ['code', 'state'])
      expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain(searchParams.get(name))
  })

  it('shows names as plain text [OAUTH-13]', async () => {
    const workspace = await service.workspace()
    const { db } = service.database
    await db
      .updateTable('organizations')
      .set({ name: '<img src=x onerror=alert(1)>' })
      .where('id', '=', workspace.organization.id)
      .execute()
    await db
      .updateTable('users')
      .set({ name: '"><script>alert(1)</script>' })
      .where('id', '=', workspace.owner.userId)
      .execute()
    const { text } = await service.call('GET', (await begin(workspace, 'notion')).path)
    expect(text).not.toMatch(/<img|<script/)
    expect(text).toContain('&#60;img src=x onerror=alert(1)&#62;')
  })

  it("connects nothing through another page's form, a changed one, or one of another provider [OAUTH-14]", async () => {
    const workspace = await service.workspace()
    const { text } = await service.call('GET', (await begin(workspace, 'slack')).path)
    const { action, fields } = formOf(text, service.url)
    const confirmation = fields['confirmation'] ?? ''
    const send = async (to: string, body: string, headers: Record<string, string> = {}) =>
      await service.call('POST', to.slice(service.url.length), {
        raw: body,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      })
    const whole = new URLSearchParams(fields).toString()
    for (const [to, body, headers] of [
      [action, whole, { 'Sec-Fetch-Site': 'cross-site' }],
      [action, whole, { 'Sec-Fetch-Site': 'same-site' }],
      [action.replace('slack', 'notion'), whole],
      [action, ''],
      [action, 'confirmation='],
      [action, `confirmation=${confirmation.slice(1)}`],
      [action, `confirmation=${confirmation.slice(0, -4)}AAAA`],
      [action, `state=x&code=y`],
      [action, '\0'.repeat(1000)],
    ] as const) {
      expect(await send(to, body, headers), body.slice(0, 40)).toMatchObject({
        status: 400,
        body: { code: 'malformed_state' },
      })
    }
    expect(await connectedSources(workspace)).toEqual([])
    expect((await send(action, whole, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(303)
  })

  it('is refused after ten minutes, and when the requester may no longer connect [OAUTH-3, OAUTH-5]', async () => {
    const workspace = await service.workspace()
    const { db } = service.database
    const late = await service.call('GET', (await begin(workspace, 'slack')).path)
    await db.updateTable('oauth_states').set({ expires_at: new Date() }).execute()
    expect((await clickButton(late.text, service.url)).status).toBe(400)
    const { path } = await begin(workspace, 'slack')
    const asked = await service.call('GET', path)
    await db
      .updateTable('memberships')
      .set({ role: 'member' })
      .where('user_id', '=', workspace.owner.userId)
      .execute()
    expect(await service.call('GET', path)).toMatchObject({ status: 403, body: { code: 'role_required' } })
    expect((await clickButton(asked.text, service.url)).status).toBe(403)
    expect(await connectedSources(workspace)).toEqual([])
  })

  it('is refused, like the one where it began, when the directory has deactivated the requester [OAUTH-5]', async () => {
    const workspace = await service.workspace()
    const { id: organizationId } = workspace.organization
    const own = await begin(workspace, 'slack')
    const asked = await service.call('GET', (await begin(workspace, 'slack')).path)
    const at = new Date()
    await service.database.db
      .insertInto('people')
      .values({
        organization_id: organizationId,
        id: randomUUID(),
        login: `${organizationId}@example.com`,
        active: false,
        resource: '{}',
        created_at: at,
        updated_at: at,
      })
      .execute()
    expect((await clickButton(asked.text, service.url)).status).toBe(403)
    const { path: other, headers } = own
    expect(await service.call('GET', other, { headers })).toMatchObject({
      status: 403,
      body: { code: 'role_required' },
    })
    expect(await connectedSources(workspace)).toEqual([])
  })
})

describe('a callback that cannot continue', () => {
  it('returns instructions to a browser and JSON to a program [OAUTH-15]', async () => {
    for (const path of [
      '/v1/oauth/slack/callback',
      `/v1/oauth/slack/callback?code=x&state=${'a'.repeat(43)}`,
    ]) {
      const page = await service.call('GET', path, {
        headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      })
      expect(page.status).toBe(400)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(page.text).toContain('<h1>Slack was not connected</h1>')
      expect(page.text).toContain('npm run memory -- connect slack')
      for (const accept of ['*/*', 'application/json']) {
        expect(await service.call('GET', path, { headers: { Accept: accept } })).toMatchObject({
          status: 400,
          body: { code: 'malformed_state' },
        })
      }
    }
  })

  it("shows the provider's refusal as plain text [OAUTH-9, OAUTH-15]", async () => {
    const { path, headers } = await begin(await service.workspace(), 'notion')
    const body = { object: 'error', status: 400, code: 'invalid_grant', message: '<b>No.</b>' }
    service.emulators.notion.faults.add({ path: '/v1/oauth/token', status: 400, body })
    const page = await service.call('GET', path, { headers: { ...headers, Accept: 'text/html' } })
    service.emulators.notion.faults.clear()
    expect(page.status).toBe(502)
    expect(page.text).toContain('<h1>Notion was not connected</h1>')
    expect(page.text).not.toContain('<b>')
  })
})

describe('GATED_PROVIDERS', () => {
  it("lists the providers that need the operator's approval [CONN-1]", async () => {
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
      const authorizeThere = (provider: string) =>
        other.call('POST', `/v1/console/connectors/${provider}/authorize`, { key: token })
      expect(await authorizeThere('notion')).toMatchObject({
        status: 403,
        body: { code: 'connector_access_required' },
      })
      for (const provider of ['slack', 'google_drive', 'gmail'])
        expect((await authorizeThere(provider)).status, provider).toBe(200)
    } finally {
      await other.close()
    }
  })
})
