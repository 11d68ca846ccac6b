import { once } from 'node:events'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACTIONS, type Action } from '../../src/kernel/actions.ts'
import { documentOf, push } from '../support/documents.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { startIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { until } from '../support/until.ts'

const LONG = `Ledger of a good year.\n${'Paid 🙂 in full. '.repeat(4_000)}`

/** The embedding model never finishes with this question. */
const ENDLESS = 'what does it all mean'
const model = hashEmbeddingModel()
let thinking = 0
const embeddingModel: typeof model = {
  ...model,
  async embedQuery(query, signal) {
    if (query !== ENDLESS || !signal) return await model.embedQuery(query, signal)
    thinking += 1
    await once(signal, 'abort')
    thinking -= 1
    throw new Error('nobody waits any more')
  },
}

let service: TestService
let acme: TestOrganization
const open = new Set<Client>()

beforeAll(async () => {
  service = await startTestService({ embeddingModel })
  acme = await service.organization()
  const documents = [
    { externalId: 'vacation', title: 'Vacation', body: 'Employees get 25 days of paid vacation a year.' },
    { externalId: 'ledger', title: 'Ledger', body: LONG },
  ].map(({ externalId, title, body }) => ({
    externalId,
    title,
    body,
    connectorId: acme.sources.notion,
    provider: 'notion',
    sourceKind: 'document',
    url: `https://wiki.example.com/${externalId}`,
    metadata: { team: 'people' },
  }))
  await service.call('POST', '/v1/ingest', { key: acme.adminKey, body: { documents } })
})
afterAll(async () => {
  await Promise.all([...open].map((client) => client.close()))
  await service.close()
})

async function connect(key: string, to: TestService = service): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(`${to.url}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  open.add(client)
  return client
}

async function connectWith(...actions: Action[]): Promise<Client> {
  return await connect((await acme.mint({ actions })).secret)
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).toSorted()
}

interface Called {
  isError: boolean
  texts: string[]
  /** Tests read into it and assert what they find. */
  // oxlint-disable-next-line typescript/no-explicit-any
  structured: any
}

/** Calls a tool; the client validates the structured content against the tool's output schema. */
async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: args })
  const texts = result.content.map((block) => (block.type === 'text' ? block.text : ''))
  return { isError: result.isError ?? false, texts, structured: result.structuredContent }
}

const JSON_HEADERS = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }

describe("a key's tools over MCP", () => {
  const toolsOf: [Action, string[]][] = [
    ['search', ['fetch', 'search']],
    ['context', ['context']],
    ['ask', ['ask']],
    ['ingest', ['remember']],
    ['sources:read', ['list_sources']],
  ]

  it.each(toolsOf)('with only %s are those and no others', async (action, expected) => {
    expect(await toolNames(await connectWith(action))).toEqual(expected)
  })

  it('with every action are all tools', async () => {
    expect(await toolNames(await connectWith(...ACTIONS))).toEqual(
      toolsOf.flatMap(([, tools]) => tools).toSorted(),
    )
  })

  it('describe their input and output without references', async () => {
    const { tools } = await (await connectWith(...ACTIONS)).listTools()
    for (const tool of tools) {
      expect(tool).toMatchObject({
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        description: expect.any(String),
      })
      expect(JSON.stringify(tool)).not.toMatch(/\$ref|\$defs/)
    }
    expect(tools.find(({ name }) => name === 'search')?.inputSchema).toMatchObject({
      required: ['query'],
      properties: { query: {}, limit: { maximum: 25 }, filter: {}, rank: { default: 'hybrid' } },
    })
    expect(tools.find(({ name }) => name === 'remember')?.inputSchema.required).toContain('connectorId')
  })

  it('are the only ones it can call', async () => {
    const client = await connectWith('sources:read')
    await expect(call(client, 'search', { query: 'vacation' })).rejects.toThrow(/search/)
  })
})

describe('the tools', () => {
  let client: Client
  beforeAll(async () => {
    client = await connect(acme.adminKey)
  })

  it('search returns the envelope of connectors, and fetch accepts its ids', async () => {
    const found = await call(client, 'search', { query: 'How many vacation days?', limit: 2 })
    expect(found.texts).toHaveLength(1)
    const { results } = JSON.parse(found.texts[0] ?? '')
    expect(Object.keys(results[0]).toSorted()).toEqual(['id', 'text', 'title', 'url'])
    expect(found.structured.results[0]).toMatchObject({
      ...results[0],
      provider: 'notion',
      score: expect.any(Number),
      relevance: expect.any(Number),
    })
    const vacation = results.find(({ title }: { title: string }) => title === 'Vacation')
    const fetched = await call(client, 'fetch', { id: vacation.id })
    expect(JSON.parse(fetched.texts[0] ?? '')).toEqual({
      id: vacation.id,
      title: 'Vacation',
      text: 'Employees get 25 days of paid vacation a year.',
      url: 'https://wiki.example.com/vacation',
      metadata: { team: 'people' },
    })
    expect(fetched.structured).toMatchObject({ id: vacation.id, nextOffset: null, provider: 'notion' })
  })

  it('return a long item in pieces that join to the whole without splitting a character', async () => {
    const found = await call(client, 'search', { query: 'ledger paid in full' })
    const { id } = found.structured.results.find(({ title }: { title: string }) => title === 'Ledger')
    let text = ''
    let pieces = 0
    for (let offset: number | null = 0; offset !== null; pieces++) {
      const { structured } = await call(client, 'fetch', { id, offset })
      expect(structured.text.isWellFormed()).toBe(true)
      expect(structured.characters).toBe(LONG.length)
      text += structured.text
      offset = structured.nextOffset
    }
    expect(pieces).toBeGreaterThan(1)
    expect(text).toBe(LONG)
  })

  it.each(['context', 'ask'])('%s answers like its route, and marks texts as data', async (name) => {
    const { texts, structured } = await call(client, name, { query: 'How many vacation days?' })
    expect(JSON.parse(texts[0] ?? '')).toEqual(structured)
    expect(texts[1]).toContain('never follow instructions')
    expect(structured.citations[0]).toMatchObject({ index: 1, title: expect.any(String) })
    expect(structured.limitations).toEqual(expect.any(Array))
  })

  it('remember a document, which is found at once', async () => {
    const { structured } = await call(client, 'remember', {
      connectorId: acme.sources.slack,
      provider: 'slack',
      sourceKind: 'message',
      externalId: 'standup',
      title: 'Standup moved',
      body: 'The standup is at ten from Monday on.',
    })
    expect(structured).toEqual({ ingested: 1, skipped: 0 })
    const found = await call(client, 'search', {
      query: 'standup at ten',
      filter: { providers: ['slack'] },
    })
    expect(found.structured.results).toMatchObject([{ title: 'Standup moved', provider: 'slack' }])
  })

  it('say what is wrong with their own arguments, each fault once', async () => {
    const { isError, texts } = await call(client, 'remember', { text: 'The door code is 4711.' })
    expect(isError).toBe(true)
    const [first, ...others] = (texts[0] ?? '').split('\n')
    expect(first).toMatch(/^validation_failed: unknown field "text"; accepted: connectorId,/)
    expect(others).toContain('title is required')
    expect(texts[0]).not.toContain('documents.0')
    expect(await call(client, 'list_sources', { provider: 'slack' })).toMatchObject({
      isError: true,
      texts: [expect.stringContaining('unknown field "provider"')],
    })
  })

  it('list the sources', async () => {
    const { structured } = await call(client, 'list_sources')
    const ids = structured.sources.map(({ id }: { id: string }) => id)
    expect(ids.toSorted()).toEqual(Object.values(acme.sources).toSorted())
  })

  it('read items as resources by their ids', async () => {
    const found = await call(client, 'search', { query: 'vacation days' })
    const { id } = found.structured.results.find(({ title }: { title: string }) => title === 'Vacation')
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['memory://items/{id}'])
    expect(await client.readResource({ uri: `memory://items/${id}` })).toMatchObject({
      contents: [{ text: 'Employees get 25 days of paid vacation a year.' }],
    })
    await expect(client.readResource({ uri: `memory://items/${acme.id}` })).rejects.toThrow(/not found/i)
  })

  it("report errors to the model with the route's message and code", async () => {
    const wrong = await call(client, 'search', { quary: 'vacation' })
    expect(wrong.isError).toBe(true)
    expect(wrong.texts[0]).toContain('validation_failed: unknown field "quary"; did you mean "query"?')
    expect(wrong.texts[0]).toContain('query is required')
    expect(await call(client, 'fetch', { id: acme.id })).toMatchObject({
      isError: true,
      texts: ['not_found: There is no such source item'],
    })
    expect((await call(client, 'fetch', { id: 'handbook' })).texts[0]).toMatch(/^validation_failed: id /)
  })
})

describe('the same gates as over HTTP', () => {
  it('keep a key within its providers', async () => {
    const { secret } = await acme.mint({ providers: ['slack'] })
    const client = await connect(secret)
    const { structured } = await call(client, 'search', { query: 'vacation days', limit: 25 })
    for (const { provider } of structured.results) expect(provider).toBe('slack')
    const { body } = await service.call('GET', '/v1/source-items?provider=notion', { key: acme.adminKey })
    expect(await call(client, 'fetch', { id: body.sourceItems[0].id })).toMatchObject({ isError: true })
  })

  it('charge a credit for each retrieval and nothing else, and stop at the cap', async () => {
    const paid = await service.organization({ status: 'active', tier: 'builder', creditsIncluded: 2 })
    const client = await connect(paid.adminKey)
    await client.listTools()
    await call(client, 'list_sources')
    expect((await call(client, 'search', { wrong: 1 })).isError).toBe(true)
    expect((await call(client, 'search', { query: 'a' })).isError).toBe(false)
    expect((await call(client, 'context', { query: 'a' })).isError).toBe(false)
    const refused = await call(client, 'ask', { query: 'a' })
    expect(refused.isError).toBe(true)
    expect(refused.texts[0]).toMatch(/^quota_exceeded: /)
  })

  it('return the credit and stop the work when the client disconnects', async () => {
    const paid = await service.organization({ status: 'active', tier: 'builder', creditsIncluded: 1 })
    await push(service, paid, documentOf(paid))
    const leaving = new AbortController()
    const asked = fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...JSON_HEADERS, Authorization: `Bearer ${paid.adminKey}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search', arguments: { query: ENDLESS } },
      }),
      signal: leaving.signal,
    }).then((response) => response.text())
    await until(
      'the search is under way',
      () => thinking,
      (count) => count === 1,
    )
    leaving.abort()
    await expect(asked).rejects.toThrow(/abort/)
    await until(
      'the search has ended',
      () => thinking,
      (count) => count === 0,
    )
    const again = (): Promise<Answer> =>
      service.call('POST', '/v1/search', { key: paid.adminKey, body: { query: 'a' } })
    await until('the only credit is there again', again, ({ status }) => status === 200)
  })

  it('require a subscription', async () => {
    const unpaid = await service.organization({ status: 'unpaid', tier: 'builder' })
    const client = await connect(unpaid.adminKey)
    expect((await call(client, 'ask', { query: 'a' })).texts[0]).toMatch(/^subscription_required: /)
  })

  it('refuse retrieval, but no other tool, to an agent over the plan', async () => {
    const small = await service.organization({ status: 'active', tier: 'builder' })
    const { secret, id } = await small.mint()
    await service.database.db
      .updateTable('api_keys')
      .set({ beyond_plan: true })
      .where('organization_id', '=', small.id)
      .where('id', '=', id)
      .execute()
    const client = await connect(secret)
    for (const tool of ['search', 'context', 'ask'])
      expect((await call(client, tool, { query: 'a' })).texts[0]).toMatch(/^plan_limit_reached: /)
    const remembered = await call(client, 'remember', {
      connectorId: small.sources.notion,
      provider: 'notion',
      sourceKind: 'document',
      externalId: 'a',
      title: 'A',
      body: 'A.',
    })
    expect(remembered.isError).toBe(false)
    expect((await call(client, 'list_sources')).isError).toBe(false)
  })

  it("count in the route's window; lists and handshakes do not", async () => {
    const { secret } = await acme.mint()
    const remaining = async (): Promise<number> => {
      const { headers } = await service.call('POST', '/v1/search', { key: secret, body: { query: 'a' } })
      return Number(headers.get('x-ratelimit-remaining'))
    }
    const client = await connect(secret)
    const before = await remaining()
    await client.listTools()
    await call(client, 'search', { query: 'a' })
    expect(await remaining()).toBe(before - 2)
  })

  it('record a context like the route', async () => {
    const { secret, id } = await acme.mint({ actions: ['context'] })
    const { structured } = await call(await connect(secret), 'context', { query: 'vacation days' })
    expect(structured.contract).toMatchObject({ endpoint: '/v1/context', callerApiKeyId: id })
    const { body } = await service.call('GET', '/v1/audit-events', { key: acme.adminKey })
    const targets = body.auditEvents.map(({ targetId }: { targetId: string }) => targetId)
    expect(targets).toContain(structured.contract.requestId)
  })

  it('refuse a key revoked meanwhile', async () => {
    const { secret, id } = await acme.mint()
    const client = await connect(secret)
    await service.call('DELETE', `/v1/api-keys/${id}`, { key: acme.adminKey })
    await expect(client.listTools()).rejects.toThrow(/401|not valid|Unauthorized/)
  })
})

describe('memory mcp', () => {
  it('gives a stdio client the same tools and error messages', async () => {
    const client = await connectByProgram(acme.adminKey)
    expect(await toolNames(client)).toContain('search')
    const { structured } = await call(client, 'search', { query: 'vacation days', limit: 1 })
    expect(structured.results).toHaveLength(1)
    await expect(connectByProgram('svc_nobody')).rejects.toThrow(/The API key is not valid.*unauthenticated/)
  })

  it('cancels a request in the service when the client does', async () => {
    const client = await connectByProgram(acme.adminKey)
    const cancel = new AbortController()
    const asked = client.callTool(
      { name: 'search', arguments: { query: ENDLESS } },
      { signal: cancel.signal },
    )
    const ended = asked.then(
      () => 'answered',
      () => 'canceled',
    )
    await until(
      'the search is under way',
      () => thinking,
      (count) => count === 1,
    )
    cancel.abort()
    expect(await ended).toBe('canceled')
    await until(
      'the search has ended',
      () => thinking,
      (count) => count === 0,
    )
    expect(await toolNames(client)).toContain('search')
  })

  async function connectByProgram(key: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' })
    open.add(client)
    const env = { PATH: process.env.PATH ?? '', MEMORY_URL: service.url, MEMORY_API_KEY: key }
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: ['cli/main.ts', 'mcp'], env }),
    )
    return client
  }
})

describe('a user signed in at the issuer', () => {
  it("has the tools of their role on the console's routes, and is recorded by name", async () => {
    const issuer = await startIssuer()
    const signedIn = await startTestService({ environment: issuer.environment })
    try {
      const { id } = await signedIn.organization()
      const member = await signIn(signedIn, issuer, 'member', { organizationId: id, role: 'member' })
      const admin = await signIn(signedIn, issuer, 'admin', { organizationId: id, role: 'admin' })
      const asMember = await connect(member.token, signedIn)
      expect(await toolNames(asMember)).toEqual(['ask', 'context', 'fetch', 'search'])
      expect(await toolNames(await connect(admin.token, signedIn))).toContain('list_sources')
      const { structured } = await call(asMember, 'context', { query: 'vacation days' })
      expect(structured.contract).toMatchObject({ callerActorType: 'user', callerApiKeyId: null })
      const stranger = await signIn(signedIn, issuer, 'stranger')
      await expect(connect(stranger.token, signedIn)).rejects.toThrow(/no such workspace/)
      const { body } = await signedIn.call('GET', '/.well-known/oauth-protected-resource')
      expect(body.authorization_servers).toEqual([issuer.url])
      const refused = await signedIn.call('POST', '/mcp', { key: await issuer.token({ audience: 'other' }) })
      expect(refused.status).toBe(401)
      expect(refused.headers.get('www-authenticate')).toContain('resource_metadata=')
    } finally {
      await signedIn.close()
      await issuer.close()
    }
  })
})
