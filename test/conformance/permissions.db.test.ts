import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { addMember } from '../../src/organizations/index.ts'
import { documentOf, push } from '../support/documents.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

const ADA = 'ada@corp.com'
const BOB = 'bob@corp.com'

let issuer: TestIssuer
let service: TestService
let acme: TestOrganization
const tokens = new Map<string, string>()

beforeAll(async () => {
  issuer = await startIssuer()
  // The built-in model's threshold of weak evidence applies by its name.
  const embeddingModel = hashEmbeddingModel({ id: 'builtin-4', dimensions: 1_024 })
  service = await startTestService({ environment: issuer.environment, embeddingModel })
  acme = await service.organization()
  await joinAs(ADA, 'owner')
  await joinAs(BOB, 'member')
  const pushed = await push(
    service,
    acme,
    documentOf(acme, { externalId: 'all', title: 'all', body: 'common apple', metadata: policy('public') }),
    documentOf(acme, {
      externalId: 'ada',
      title: 'ada',
      body: 'common quince',
      metadata: policy('private', [ADA]),
    }),
    documentOf(acme, { externalId: 'none', title: 'none', body: 'common plum', metadata: {} }),
  )
  if (pushed.status !== 200) throw new Error(pushed.text)
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const policy = (visibility: string, users: string[] = []) => ({ accessPolicy: { visibility, users } })

async function joinAs(email: string, role: 'owner' | 'member'): Promise<void> {
  const token = await issuer.token({ subject: email, email, emailVerified: true })
  const { body } = await service.call('GET', '/v1/console/me', { key: token })
  await addMember(service.database.db, {
    organizationId: acme.id,
    userId: body.user.id,
    role,
    at: new Date(),
  })
  tokens.set(email, token)
}

async function titlesFor(key: string | undefined, more: object = {}, path = '/v1/search'): Promise<string[]> {
  const { status, body, text } = await service.call('POST', path, {
    key,
    body: { query: 'common', limit: 25, ...more },
  })
  expect(status, text).toBe(200)
  return body.hits.map(({ title }: { title: string }) => title).toSorted()
}

const behalf = (email: string) => ({ onBehalfOf: { email } })

function setPermissions(email: string, permissions: string): Promise<Answer> {
  return service.call('PATCH', `/v1/console/organizations/${acme.id}`, {
    key: tokens.get(email),
    body: { permissions },
  })
}

describe('a key', () => {
  it('reads everything unless it names a user', async () => {
    expect(await titlesFor(acme.adminKey)).toEqual(['ada', 'all', 'none'])
    expect(await titlesFor(acme.adminKey, behalf('ADA@corp.com'))).toEqual(['ada', 'all'])
    expect(await titlesFor(acme.adminKey, behalf(BOB))).toEqual(['all'])
    expect(await titlesFor(acme.adminKey, behalf('nobody@elsewhere.net'))).toEqual(['all'])
  })

  it('that requires a user is refused without one, on every route that reads items', async () => {
    const { secret } = await acme.mint({ requiresUser: true })
    const reading = routes.filter(({ onBehalfOf, access }) => onBehalfOf && access.surface === 'agent')
    expect(reading.length).toBeGreaterThan(5)
    for (const { method, path, onBehalfOf, body, summary } of reading) {
      const url = path.replace('{id}', '00000000-0000-4000-8000-000000000000')
      const asked = { query: 'common' }
      const given = body?.safeParse(asked).success === true ? asked : {}
      const options = onBehalfOf === 'body' ? { key: secret, body: given } : { key: secret }
      const answer = await service.call(method, url, options)
      expect({ status: answer.status, code: answer.body.code }, summary).toEqual({
        status: 403,
        code: 'user_required',
      })
    }
    expect(await titlesFor(secret, behalf(ADA))).toEqual(['ada', 'all'])
  })

  it('that requires a user creates only keys that do', async () => {
    const { secret } = await acme.mint({ requiresUser: true })
    const mint = (more: object) =>
      service.call('POST', '/v1/api-keys', {
        key: secret,
        body: { name: 'k', allowedActions: ['search'], ...more },
      })
    expect((await mint({})).body.apiKey.requiresUser).toBe(true)
    expect((await mint({ requiresUser: false })).body.code).toBe('user_required')
  })

  it('gets a context that says that permissions were applied, and records the user in the trail', async () => {
    const body = { query: 'common', ...behalf(BOB) }
    const context = await service.call('POST', '/v1/context', { key: acme.adminKey, body })
    const codes = context.body.limitations.map(({ code }: { code: string }) => code)
    expect(codes).toContain('permissions_applied')
    const trail = await service.call('GET', '/v1/audit-events?limit=1', { key: acme.adminKey })
    expect(trail.body.auditEvents[0].metadata).toMatchObject({ onBehalfOf: BOB, hitCount: 1 })
  })

  it('cannot distinguish an item that the user may not read from a missing one', async () => {
    const { body } = await service.call('GET', '/v1/source-items', { key: acme.adminKey })
    const hidden = body.sourceItems.find(({ title }: { title: string }) => title === 'ada').id
    const get = (id: string) =>
      service.call('GET', `/v1/source-items/${id}?onBehalfOf=${BOB}`, { key: acme.adminKey })
    const [one, other] = [await get(hidden), await get('00000000-0000-4000-8000-000000000000')]
    expect(one.status).toBe(404)
    expect(one.body).toEqual(other.body)
  })

  it('gets weak evidence reported as if unreadable passages did not exist', async () => {
    const ask = async (email: string) => {
      const body = { query: 'quince', ...behalf(email) }
      const { body: context } = await service.call('POST', '/v1/context', { key: acme.adminKey, body })
      return context.limitations.some(({ code }: { code: string }) => code === 'weak_evidence')
    }
    expect(await ask(ADA)).toBe(false)
    expect(await ask(BOB)).toBe(true)
  })

  it.each(['ada', 'ada@', '@corp.com', 'a b@corp.com', ''])(
    'is refused for the address %j',
    async (email) => {
      const body = { query: 'common', onBehalfOf: { email } }
      const { status } = await service.call('POST', '/v1/search', { key: acme.adminKey, body })
      expect(status).toBe(400)
    },
  )
})

describe('a workspace', () => {
  it('has permissions off by default; only an owner changes that, with an audit event', async () => {
    const me = await service.call('GET', '/v1/console/me', { key: tokens.get(BOB) })
    expect(me.body.organizations).toEqual([expect.objectContaining({ id: acme.id, permissions: 'off' })])
    expect(await titlesFor(tokens.get(BOB), {}, '/v1/console/search')).toEqual(['ada', 'all', 'none'])
    expect((await setPermissions(BOB, 'enforced')).status).toBe(403)
    const changed = await setPermissions(ADA, 'enforced')
    expect(changed.body.organization).toMatchObject({ id: acme.id, permissions: 'enforced' })
    const trail = await service.call('GET', '/v1/audit-events?limit=1', { key: acme.adminKey })
    expect(trail.body.auditEvents[0]).toMatchObject({
      action: 'organization.permissions.update',
      metadata: { permissions: 'enforced' },
    })
    expect(await titlesFor(tokens.get(BOB), {}, '/v1/console/search')).toEqual(['all'])
    expect(await titlesFor(tokens.get(ADA), {}, '/v1/console/search')).toEqual(['ada', 'all'])
    expect(await titlesFor(acme.adminKey)).toEqual(['ada', 'all', 'none'])
    expect((await setPermissions(ADA, 'off')).status).toBe(200)
  })

  it('counts in the overview only what the person may read', async () => {
    const overview = async (email: string) =>
      (await service.call('GET', '/v1/console/overview', { key: tokens.get(email) })).body
    const sizes = ({ items, chunks, itemsWaiting, sources }: Answer['body']) => ({
      items,
      chunks,
      itemsWaiting,
      listed: sources.map((source: { items: number }) => source.items).filter((count: number) => count > 0),
    })
    const waiting = (await overview(BOB)).itemsWaiting
    expect(sizes(await overview(BOB))).toEqual({ items: 3, chunks: 3, itemsWaiting: waiting, listed: [3] })
    await setPermissions(ADA, 'enforced')
    const seen = waiting === 0 ? 0 : 1
    expect(sizes(await overview(BOB))).toEqual({ items: 1, chunks: 1, itemsWaiting: seen, listed: [1] })
    expect(await overview(ADA)).toMatchObject({ items: 2, chunks: 2 })
    const path = `/v1/console/overview?onBehalfOf=${ADA}`
    expect((await service.call('GET', path, { key: tokens.get(BOB) })).body.code).toBe('role_required')
    await setPermissions(ADA, 'off')
  })

  it('withholds a stored answer when its person may no longer read an item that it cites', async () => {
    const { body: found } = await service.call('POST', '/v1/search', {
      key: acme.adminKey,
      body: { query: 'common', limit: 25 },
    })
    const idOf = (title: string) =>
      found.hits.find((hit: { title: string }) => hit.title === title).sourceItemId
    const turn = (title: string) => ({
      question: title,
      answer: `about ${title} [1]`,
      citations: [{ index: 1, sourceItemId: idOf(title), title }],
    })
    const key = tokens.get(BOB)
    const { body: begun } = await service.call('POST', '/v1/console/threads', { key, body: turn('ada') })
    const thread = `/v1/console/threads/${begun.thread.id}`
    await service.call('POST', `${thread}/turns`, { key, body: turn('all') })
    const read = async () => {
      const { body } = await service.call('GET', thread, { key })
      return body.turns.map(({ answer, withheld }: { answer: string; withheld: boolean }) => [
        answer,
        withheld,
      ])
    }
    const about = (title: string) => [`about ${title} [1]`, false]
    expect(await read()).toEqual([about('ada'), about('all')])
    await setPermissions(ADA, 'enforced')
    expect(await read()).toEqual([['', true], about('all')])
    await setPermissions(ADA, 'off')
  })

  it('withholds a stored answer of an evaluation from a person who may not read the items that it is based on [CON-24]', async () => {
    const key = tokens.get(ADA)
    const console = (method: string, path: string, body?: object) =>
      service.call(method, `/v1/console/${path}`, { key, body })
    const { hits } = (await console('POST', 'search', { query: 'common', limit: 25 })).body
    for (const title of ['ada', 'all'])
      await console('PUT', 'evaluation/questions', { questions: [{ question: title, page: title }] })
    const run = `evaluation/runs/${(await console('POST', 'evaluation/runs')).body.run.id}`
    const { results } = (await console('GET', run)).body
    const withheldFrom = async ({ question, questionId }: Record<string, string>): Promise<unknown[]> => {
      const { sourceItemId } = hits.find(({ title }: { title: string }) => title === question)
      const cited = [{ index: 1, sourceItemId, title: question }]
      const path = `${run}/results/${questionId}`
      const shown: unknown[] = []
      // A language model may repeat a passage without citing it.
      for (const citations of [cited, []]) {
        const given = { answer: 'a', citations, contextItemIds: [sourceItemId] }
        const measured = { rank: 1, hasFact: null, change: 'new', ...given }
        expect((await console('PUT', path, measured)).status).toBe(200)
        const own = (await console('GET', path)).body
        const previewed = (await console('GET', `${path}?onBehalfOf=${BOB}`)).body
        shown.push([own.withheld, previewed.withheld, previewed.answer])
      }
      return shown
    }
    const [ofAda, ofAll] = [await withheldFrom(results[0]), await withheldFrom(results[1])]
    expect(ofAda).toEqual([
      [false, true, ''],
      [false, true, ''],
    ])
    expect(ofAll).toEqual([
      [false, false, 'a'],
      [false, false, 'a'],
    ])
  })

  it('lets owners preview as another person, with an audit event, and members only as themselves', async () => {
    expect(await titlesFor(tokens.get(ADA), behalf(BOB), '/v1/console/search')).toEqual(['all'])
    const trail = await service.call('GET', '/v1/audit-events?limit=2', { key: acme.adminKey })
    expect(trail.body.auditEvents).toContainEqual(
      expect.objectContaining({ action: 'permissions.preview', targetId: BOB, metadata: { email: BOB } }),
    )
    expect(await titlesFor(tokens.get(BOB), behalf(BOB), '/v1/console/search')).toEqual(['all'])
    const body = { query: 'common', ...behalf(ADA) }
    const refused = await service.call('POST', '/v1/console/search', { key: tokens.get(BOB), body })
    expect(refused.body.code).toBe('role_required')
  })
})

describe('a group', () => {
  it('whose ID is an address is named by policies in any case', async () => {
    const put = { key: acme.adminKey, body: { members: ['gil@corp.com'] } }
    expect((await service.call('PUT', '/v1/groups/Board@Corp.com', put)).status).toBe(200)
    const metadata = { accessPolicy: { visibility: 'restricted', groups: ['Board@Corp.com'] } }
    const document = documentOf(acme, { externalId: 'board', title: 'board', body: 'common fig', metadata })
    expect((await push(service, acme, document)).status).toBe(200)
    expect(await titlesFor(acme.adminKey, behalf('gil@corp.com'))).toContain('board')
    expect(await titlesFor(acme.adminKey, behalf(BOB))).not.toContain('board')
  })

  it.each(['developer@localhost', 'zoë@example.com', 'a@exämple.de'])(
    'has members with every address that people ask with: %s',
    async (email) => {
      const put = { key: acme.adminKey, body: { members: [email] } }
      expect((await service.call('PUT', '/v1/groups/local', put)).status).toBe(200)
      const metadata = { accessPolicy: { visibility: 'restricted', groups: ['local'] } }
      const document = documentOf(acme, {
        externalId: 'local',
        title: 'local',
        body: 'common lime',
        metadata,
      })
      expect((await push(service, acme, document)).status).toBe(200)
      expect(await titlesFor(acme.adminKey, behalf(email))).toContain('local')
    },
  )
})

describe('the source code', () => {
  it('has no route of a reading action that names no person', () => {
    const reading = new Set(['search', 'context', 'ask', 'memory:read'])
    const forgetting = routes.filter(
      ({ access, onBehalfOf }) =>
        'action' in access && reading.has(access.action) && onBehalfOf === undefined,
    )
    expect(forgetting.map(({ path }) => path)).toEqual([])
  })

  it('decides only in src/permissions what may be read', async () => {
    const files = (await readdir('src', { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('permissions/'),
    )
    const deciding: string[] = []
    for (const name of files)
      if (/Readable\.(everything|nothing)/.test(await readFile(join('src', name), 'utf8')))
        deciding.push(name)
    expect(deciding).toEqual([])
  })
})
