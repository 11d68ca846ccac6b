import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStripeEmulator, type StripeEmulator } from '../../emulators/stripe/index.ts'
import { routes } from '../../src/assembly/routes.ts'
import { createLanguageModel } from '../../src/inference/language-models/create-language-model.ts'
import { createLogger } from '../../src/process/logger.ts'
import { formOf } from '../support/browser.ts'
import { type Emulators, startEmulators } from '../support/connected-service.ts'
import { documentOf } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { startOpenAiEmulator, type OpenAiEmulator } from '../support/openai-emulator.ts'
import { type Person, signIn } from '../support/people.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'

const CONTENT = 'CONTENT-MARKER-4711'
const ANSWER = 'ANSWER-MARKER-4711'
const MODEL_KEY = 'model-key-marker-4711'
const STRIPE_KEY = 'sk_test_marker_4711'
const STRIPE_WEBHOOK_SECRET = 'whsec_marker_4711'

let issuer: TestIssuer
let llm: OpenAiEmulator
/** A page that the provider does not have. */
const NO_PAGE = '00000000-0000-4000-8000-000000000000'

let emulators: Emulators
let stripe: StripeEmulator
let service: TestService
let organization: TestOrganization
let admin: Person
const logged: string[] = []
const answers: Answer[] = []
const secrets: string[] = [CONTENT, ANSWER, MODEL_KEY, OPERATOR_TOKEN, STRIPE_KEY, STRIPE_WEBHOOK_SECRET]

beforeAll(async () => {
  issuer = await startIssuer()
  llm = await startOpenAiEmulator({ apiKey: MODEL_KEY, reply: () => `It is ${ANSWER} [1].` })
  emulators = await startEmulators()
  stripe = await startStripeEmulator({ secretKey: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET })
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  })
  service = await startTestService({
    // No worker runs queued syncs, so that only requests write to the trail.
    environment: { ...issuer.environment, ...emulators.environment, ...stripe.env, ROLE: 'api' },
    logger: createLogger('trace', stream),
    languageModel: createLanguageModel(
      { provider: 'openai', baseUrl: llm.baseUrl, apiKey: MODEL_KEY, model: 'm' },
      { retriesMax: 0 },
    ),
  })
  organization = await service.organization()
  admin = await signIn(service, issuer, 'admin', { organizationId: organization.id, role: 'admin' })
  secrets.push(organization.adminKey, admin.token)
  await actOnEverything()
  await breakEverything()
})
afterAll(async () => {
  await service.close()
  await llm.close()
  await emulators.close()
  await stripe.close()
  await issuer.close()
})

async function call(
  method: string,
  path: string,
  body?: unknown,
  key = organization.adminKey,
): Promise<Answer> {
  const answer = await service.call(method, path, { key, body })
  answers.push(answer)
  return answer
}
const asAdmin = (method: string, path: string, body?: unknown) => call(method, path, body, admin.token)

const document = (values: object = {}) =>
  documentOf(organization, {
    title: `Plan ${CONTENT}`,
    body: `The plan is ${CONTENT}. It has a number.`,
    authorName: CONTENT,
    metadata: { note: CONTENT },
    ...values,
  })

/** Every mutation and every retrieval, by keys and by users. */
async function actOnEverything(): Promise<void> {
  const query = { query: 'what is the plan' }
  await call('POST', '/v1/ingest', { documents: [document(), document({ externalId: 'b' })] })
  const { hits } = (await call('POST', '/v1/search', query)).body
  await call('GET', `/v1/source-items/${hits[0].sourceItemId}`)
  for (const path of ['search', 'context', 'ask']) {
    await call('POST', `/v1/${path}`, query)
    await asAdmin('POST', `/v1/console/${path}`, query)
  }
  await service.call('POST', '/v1/ask', {
    key: organization.adminKey,
    body: query,
    headers: { Accept: 'text/event-stream' },
  })
  await call('DELETE', `/v1/source-items/${hits[0].sourceItemId}`)
  await call('DELETE', '/v1/source-items?provider=notion&externalId=b')
  const key = { name: 'Bot', allowedActions: ['search'] }
  for (const [act, path] of [
    [call, '/v1/api-keys'],
    [asAdmin, '/v1/console/api-keys'],
  ] as const) {
    const { secret, apiKey } = (await act('POST', path, key)).body
    secrets.push(secret)
    await call('POST', '/v1/search', query, secret)
    await act('DELETE', `${path}/${apiKey.id}`)
    await call('POST', '/v1/search', query, secret)
  }
  const { source } = (
    await asAdmin('POST', '/v1/console/sources', { provider: 'slack', displayName: 'Team' })
  ).body
  await call('PATCH', `/v1/sources/${source.id}`, { channelAllowlist: ['C1'] })
  for (const change of [{ displayName: 'Crew' }, { status: 'disabled' }, { status: 'active' }])
    await asAdmin('PATCH', `/v1/console/sources/${source.id}`, change)
  await service.database.db
    .updateTable('sources')
    .set({ push_only: false })
    .where('id', '=', source.id)
    .execute()
  await call('POST', '/v1/sync-runs', { connectorId: source.id })
  await asAdmin('DELETE', `/v1/console/sources/${source.id}`)
  await connectNotion()
  await syncItem()
  await asAdmin('POST', '/v1/console/connector-access', { provider: 'gmail' })
  await call('POST', '/v1/maintenance/slack/cleanup-system-events', { dryRun: false })
  await manageMembers()
  await asAdmin('GET', '/v1/console/audit-events/export?format=csv')
  await call('POST', '/v1/export', {})
  await manageDirectory()
  await manageWebhooks()
  await manageThreads()
  await manageEvaluation()
  const made = await asAdmin('POST', '/v1/console/organizations', { name: 'Acme' })
  await buyPlan(made.body.organization.id)
  const path = `/operator/organizations/${organization.id}/subscription`
  await call('PUT', path, { status: 'internal' }, OPERATOR_TOKEN)
  await call('PUT', path, { status: 'internal' }, `${OPERATOR_TOKEN}x`)
}

/** A workspace's name and members, from an invitation to the end. */
async function manageMembers(): Promise<void> {
  await asAdmin('PATCH', `/v1/console/organizations/${organization.id}`, { name: 'Crew' })
  const invited = await asAdmin('POST', '/v1/console/invitations', { role: 'member' })
  const withdrawn = await asAdmin('POST', '/v1/console/invitations', { role: 'member' })
  const tokens = [invited, withdrawn].map(({ body }) => new URL(body.url).hash.slice(1))
  secrets.push(...tokens)
  await asAdmin('DELETE', `/v1/console/invitations/${withdrawn.body.invitation.id}`)
  const guest = await signIn(service, issuer, 'guest')
  secrets.push(guest.token)
  for (const token of tokens) await call('POST', '/v1/console/invitations/accept', { token }, guest.token)
  await asAdmin('PATCH', `/v1/console/members/${guest.userId}`, { role: 'admin' })
  await asAdmin('DELETE', `/v1/console/members/${guest.userId}`)
}

/** A group, and a token of an identity provider. */
async function manageDirectory(): Promise<void> {
  await call('PUT', '/v1/groups/legal', { name: 'Legal', members: ['ada@example.com'] })
  await call('DELETE', '/v1/groups/legal')
  const { scimToken, secret } = (await asAdmin('POST', '/v1/console/scim-tokens', { name: 'Okta' })).body
  secrets.push(secret)
  answers.push(await service.call('GET', '/scim/v2/Users', { key: secret }))
  await asAdmin('DELETE', `/v1/console/scim-tokens/${scimToken.id}`)
}

/** A webhook, from creation to removal; no worker sends anything to it. */
async function manageWebhooks(): Promise<void> {
  const path = '/v1/console/webhooks'
  const made = await asAdmin('POST', path, {
    url: 'https://hooks.example.com/',
    eventTypes: ['source.error'],
  })
  const one = `${path}/${made.body.webhook.id}`
  await asAdmin('PATCH', one, { description: 'Alerts' })
  const rotated = await asAdmin('POST', `${one}/rotate`)
  secrets.push(made.body.secret, rotated.body.secret)
  const { delivery } = (await asAdmin('POST', `${one}/test`)).body
  await asAdmin('POST', `${path}/deliveries/${delivery.id}/replay`)
  await asAdmin('DELETE', one)
}

/** A thread of questions, from its first one to its end. */
async function manageThreads(): Promise<void> {
  const path = '/v1/console/threads'
  const turn = { question: `What is ${CONTENT}?`, answer: `It is ${ANSWER}.`, citations: [] }
  const { thread, turn: first } = (await asAdmin('POST', path, turn)).body
  await asAdmin('POST', `${path}/${thread.id}/turns`, turn)
  await asAdmin('PUT', `${path}/${thread.id}/turns/${first.id}/feedback`, { feedback: 'useful' })
  await asAdmin('POST', `${path}/${thread.id}/turns/${first.id}/evaluation`)
  await asAdmin('DELETE', `${path}/${thread.id}`)
}

/** Questions with known answers, and a run of them. */
async function manageEvaluation(): Promise<void> {
  const path = '/v1/console/evaluation'
  const questions = [{ question: `Where is ${CONTENT}?`, page: CONTENT, fact: ANSWER }]
  await asAdmin('PUT', `${path}/questions`, { questions })
  const { run } = (await asAdmin('POST', `${path}/runs`)).body
  const [{ questionId }] = (await asAdmin('GET', `${path}/runs/${run.id}`)).body.results
  const result = `${path}/runs/${run.id}/results/${questionId}`
  const measured = {
    rank: 1,
    hasFact: true,
    change: 'new',
    answer: ANSWER,
    citations: [],
    contextItemIds: [],
  }
  await asAdmin('PUT', result, measured)
  await asAdmin('GET', result)
  await asAdmin('DELETE', `${path}/runs/${run.id}`)
  await asAdmin('DELETE', `${path}/questions/${questionId}`)
}

/** The payment processor's pages, in success and failure. */
async function buyPlan(organizationId: string): Promise<void> {
  const plan = { tier: 'studio', interval: 'monthly' }
  const ask = async (page: 'checkout' | 'portal'): Promise<void> => {
    const answer = await service.call('POST', `/v1/console/billing/${page}`, {
      key: admin.token,
      headers: { 'X-Organization-Id': organizationId },
      ...(page === 'checkout' ? { body: plan } : {}),
    })
    answers.push(answer)
  }
  await ask('checkout')
  await ask('portal')
  const message = `Invalid API Key provided: ${STRIPE_KEY}`
  stripe.faults.add({ path: '/v1/billing_portal', status: 401, body: { error: { message } }, times: 1 })
  await ask('portal')
  await call('POST', '/v1/webhooks/stripe', { id: 'evt_1' })
}

/** The OAuth flow in a browser. */
async function connectNotion(): Promise<void> {
  const { url } = (await asAdmin('POST', '/v1/console/connectors/notion/authorize')).body
  const granted = await fetch(url, { redirect: 'manual' })
  const callback = new URL(granted.headers.get('location') ?? '')
  for (const name of ['code', 'state']) secrets.push(callback.searchParams.get(name) ?? `no ${name}`)
  // In another browser the sealed code is in the page, where nobody can read it.
  const asked = await service.call('GET', callback.pathname + callback.search)
  answers.push(asked)
  const { action, fields } = formOf(asked.text, callback.href)
  const confirmed = await service.call('POST', new URL(action).pathname, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  answers.push(confirmed)
  if (confirmed.status !== 303) throw new Error(`the click was answered ${confirmed.status}`)
}

/** Reads an item again as if a run had stored it: the provider has none, so that it is deleted. */
async function syncItem(): Promise<void> {
  const { db } = service.database
  await call('POST', '/v1/ingest', { documents: [document({ externalId: 'e' })] })
  const { hits } = (await call('POST', '/v1/search', { query: 'what is the plan' })).body
  const { id } = await db
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organization.id)
    .where('provider', '=', 'notion')
    .where('push_only', '=', false)
    .executeTakeFirstOrThrow()
  const claim = { source_id: id, external_id: NO_PAGE, source_item_id: String(hits[0].sourceItemId) }
  await db
    .insertInto('synced_items')
    .values({ organization_id: organization.id, ...claim })
    .execute()
  await asAdmin('POST', `/v1/console/items/${claim.source_item_id}/sync`)
}

/** The failures: refused requests, a failing language model, a failing database. */
async function breakEverything(): Promise<void> {
  await call('POST', '/v1/ingest', { documents: [document({ sourceKind: CONTENT, title: 7 })] })
  await call('POST', '/v1/ingest', { documents: [document(), document()] })
  await service
    .call('POST', '/v1/ingest', { key: organization.adminKey, raw: `{"x": "${CONTENT}` })
    .then((answer) => answers.push(answer))
  await call('POST', '/v1/ingest', { documents: [document()] })
  for (const fault of [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 400 },
    { kind: 'malformed-json' },
    { kind: 'cut', afterDeltas: 1 },
  ] as const) {
    llm.fail(fault)
    await call('POST', '/v1/ask', { query: 'what is the plan' })
  }
  await sql`alter table chunks add constraint broken check (position < 0) not valid`.execute(
    service.database.db,
  )
  await call('POST', '/v1/ingest', { documents: [document({ externalId: 'c' })] })
  await sql`alter table chunks drop constraint broken`.execute(service.database.db)
  await sql`alter table source_items rename to gone`.execute(service.database.db)
  // As after any change, so that a search must query the database.
  await sql`update item_revisions set revision = revision + 1`.execute(service.database.db)
  await call('POST', '/v1/ingest', { documents: [document({ externalId: 'd' })] })
  await call('POST', '/v1/search', { query: 'what is the plan' })
  await sql`alter table gone rename to source_items`.execute(service.database.db)
}

const events = async () =>
  (
    await sql<{ row: string; action: string }>`
  select audit_events::text as row, action from audit_events`.execute(service.database.db)
  ).rows

/** Needs another model, or the local workspace's owner. */
const ELSEWHERE = new Set<string>(['maintenance.reembed.start', 'connector_access.grant'])

describe('after every mutation, retrieval and failure', () => {
  it('the run covered each audit action of a route, answers, and errors up to 500', async () => {
    const declared = routes
      .map(({ audit }) => audit)
      .filter((audit) => audit !== 'none' && !ELSEWHERE.has(audit))
    const recorded = new Set((await events()).map(({ action }) => action))
    expect(declared.filter((audit) => !recorded.has(audit))).toEqual([])
    expect(answers.some(({ text }) => text.includes(ANSWER))).toBe(true)
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(3)
    expect(logged.filter((line) => line.includes('the language model failed')).length).toBeGreaterThanOrEqual(
      3,
    )
  })

  it('no audit event has a secret, a token, content or an answer [AUD-12]', async () => {
    for (const { row } of await events()) {
      expect(
        secrets.filter((secret) => row.includes(secret)),
        row,
      ).toEqual([])
    }
  })

  it('no log line has one [AUD-12]', () => {
    for (const line of logged) {
      expect(
        secrets.filter((secret) => line.includes(secret)),
        line,
      ).toEqual([])
    }
  })

  it('no error body has one [AUD-12, ERR-3]', () => {
    for (const { status, text } of answers.filter((answer) => answer.status >= 400)) {
      expect(
        secrets.filter((secret) => text.includes(secret)),
        text,
      ).toEqual([])
      if (status === 500) expect(text).not.toMatch(/source_items|chunk_embeddings|relation|constraint/)
    }
  })

  it('each request has a log line with the request id of its answer [ERR-4]', () => {
    const lines: Record<string, unknown>[] = logged.map((line) => JSON.parse(line))
    const ids = new Set(lines.map(({ requestId }) => requestId))
    for (const { headers } of answers) expect(ids).toContain(headers.get('x-request-id'))
    const without = lines.filter(
      ({ requestId, msg }) => requestId === undefined && !String(msg).startsWith('Server listening'),
    )
    expect(without).toEqual([])
  })
})
