import { randomUUID } from 'node:crypto'
import { routes } from '../../src/assembly/routes.ts'
import type { Answer, TestOrganization, TestService } from './service.ts'
import { OPERATOR_TOKEN } from './service.ts'
import { anEntity } from './canvas.ts'
import { documentOf } from './documents.ts'

export type AnyRoute = (typeof routes)[number]

/** All callers of one organization's routes. */
export interface Callers {
  organization: TestOrganization
  /** Bearer token of an owner of the organization. */
  ownerToken: string
}

/** The right bearer token for a route's surface; undefined when none is needed. */
export function bearerFor({ access }: AnyRoute, { organization, ownerToken }: Callers): string | undefined {
  switch (access.surface) {
    case 'agent':
      return organization.adminKey
    case 'console':
    case 'user':
      return ownerToken
    case 'operator':
      return OPERATOR_TOKEN
    case 'public':
    case 'scim':
      return undefined
  }
}

export const MISSING_ID = '00000000-0000-4000-8000-000000000000'

/** The path of a route with its parameters filled in. */
export function pathOf(route: AnyRoute, parameters: Record<string, string> = {}): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    return parameters[name] ?? (name === 'provider' ? 'slack' : MISSING_ID)
  })
}

const search = { query: 'paid time off', limit: 3, filter: { providers: ['slack'], metadata: { a: 'b' } } }
const source = { displayName: 'Team', status: 'active', channelAllowlist: ['C1'] }
const turn = {
  question: 'How many days?',
  answer: 'Twenty-five [1].',
  citations: [{ index: 1, title: 'Vacation', sourceItemId: MISSING_ID }],
  requestId: MISSING_ID,
}
const subscription = {
  status: 'internal',
  tier: 'scale',
  creditsIncluded: 5,
  overCap: 'metered',
  extraAnswerUsd: '0.012',
}

/** A valid body for each route with one, with every known field. */
const BODIES: Record<string, (organization: TestOrganization) => Record<string, unknown>> = {
  search: () => search,
  context: () => search,
  ask: () => ({ query: search.query, limit: 3 }),
  ingest: (organization) => ({
    documents: [
      documentOf(organization, {
        url: 'https://example.com',
        authorName: 'Ada',
        sourceCreatedAt: '2025-01-02T03:04:05Z',
        sourceUpdatedAt: '2025-01-02T03:04:05Z',
        metadata: { a: 'b' },
      }),
    ],
  }),
  exportWorkspace: () => ({ after: MISSING_ID }),
  createApiKey: () => ({
    name: 'Bot',
    actorType: 'application',
    allowedActions: ['search'],
    allowedProviders: ['slack'],
  }),
  updateSource: () => ({ channelAllowlist: ['C1'] }),
  consoleUpdateSource: () => source,
  consoleCreateSource: () => ({ provider: 'slack', displayName: 'Team' }),
  createSyncRun: ({ sources }) => ({ connectorId: sources.slack, fullResync: true }),
  consoleCreateOrganization: () => ({ name: 'Acme' }),
  consoleUpdateOrganization: () => ({ name: 'Acme' }),
  consoleUpdateMember: () => ({ role: 'member' }),
  consoleCreateInvitation: () => ({ role: 'member', email: 'ada@example.com' }),
  consoleCreateWebhook: () => ({
    url: 'https://hooks.example.com/memory',
    description: 'Alerts',
    eventTypes: ['source.error'],
  }),
  consoleUpdateWebhook: () => ({
    url: 'https://hooks.example.com/memory',
    description: 'Alerts',
    eventTypes: ['source.error'],
    status: 'active',
  }),
  consoleDeleteItems: () => ({ ids: [MISSING_ID] }),
  consoleCreateThread: () => turn,
  consoleAddTurn: () => turn,
  consolePutEvaluationQuestions: () => ({
    questions: [{ question: 'How many days?', page: 'Vacation', fact: '25' }],
  }),
  consolePutEvaluationResult: () => ({
    rank: 1,
    hasFact: true,
    change: 'new',
    answer: turn.answer,
    citations: turn.citations,
    contextItemIds: [MISSING_ID],
  }),
  consoleRateTurn: () => ({ feedback: 'useful' }),
  putGroup: () => ({ name: 'Finance', members: ['ada@example.com'] }),
  // The hash model of the tests answers; no network is involved.
  consoleTestModel: () => ({ kind: 'embedding' }),
  consoleCreateScimToken: () => ({ name: 'Okta' }),
  consolePreviewInvitation: () => ({ token: 'inv_nobody' }),
  consoleAcceptInvitation: () => ({ token: 'inv_nobody' }),
  consoleConnectByForm: () => ({ fields: { token: 'a-token' } }),
  consoleRequestConnectorAccess: () => ({ provider: 'gmail' }),
  cleanUpSlackSystemEvents: () => ({ dryRun: true }),
  consoleStartCheckout: () => ({ tier: 'studio', interval: 'monthly' }),
  operatorPutSubscription: () => subscription,
  operatorPutConnectorAccess: () => ({ enabled: true }),
  // Its server does not exist, so nothing changes.
  operatorPutEmbeddingModel: () => ({
    provider: 'openai',
    model: 'nobody',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: 'key',
    dimensions: 8,
    mirrorUrl: 'http://127.0.0.1:9',
  }),
  operatorResolveOverageReport: () => ({ arrived: true }),
}

/** A valid body for a route; undefined for a route without one. Twins share a body. */
export function bodyOf(
  { operationId, body }: AnyRoute,
  organization: TestOrganization,
): Record<string, unknown> | undefined {
  if (!body) return undefined
  const twin = operationId.replace(/^console(.)/, (_whole, letter: string) => letter.toLowerCase())
  const example = BODIES[operationId] ?? BODIES[twin]
  if (!example) throw new Error(`${operationId} has a body; give it an example in ${import.meta.filename}`)
  return example(organization)
}

/** Calls a route with valid credentials, with overrides. */
export async function callRoute(
  service: TestService,
  route: AnyRoute,
  callers: Callers,
  different: { path?: string; headers?: Record<string, string>; body?: unknown; raw?: string | Buffer } = {},
): Promise<Answer> {
  const { path = pathOf(route), ...options } = different
  const body = route.body && !('body' in different) && different.raw === undefined
  return await service.call(route.method, path, {
    key: bearerFor(route, callers),
    ...(body ? { body: bodyOf(route, callers.organization) } : {}),
    ...options,
  })
}

/** The id of an existing resource of the kind that a route needs. */
export async function ownId(
  service: TestService,
  { path }: AnyRoute,
  { organization, ownerToken }: Callers,
): Promise<string> {
  const asOwner = async (method: string, of: string, body?: unknown) =>
    (await service.call(method, `/v1/console/${of}`, { key: ownerToken, body })).body
  if (!path.includes('{id}')) return organization.id
  if (path.includes('/api-keys/')) return organization.adminKeyId
  if (path.includes('/sources/')) return organization.sources.slack
  if (path.includes('/source-items/') || path.includes('/items/'))
    return (await asOwner('GET', 'source-items')).sourceItems[0].id
  if (path.includes('/members/')) return (await asOwner('GET', 'members')).members[0].id
  if (path.includes('/invitations/'))
    return (await asOwner('POST', 'invitations', { role: 'member' })).invitation.id
  if (path.includes('/scim-tokens/'))
    return (await asOwner('POST', 'scim-tokens', { name: 'Okta' })).scimToken.id
  if (path.includes('/evaluation/')) {
    const questions = [{ question: 'How many days?', page: 'Vacation', fact: null }]
    await asOwner('PUT', 'evaluation/questions', { questions })
    if (path.includes('/runs/')) return (await asOwner('POST', 'evaluation/runs')).run.id
    return (await asOwner('GET', 'evaluation/questions')).questions[0].id
  }
  if (path.includes('/threads/')) return (await asOwner('POST', 'threads', turn)).thread.id
  if (path.includes('/webhooks/')) {
    // This event does not happen, so nothing is delivered.
    const body = { url: 'https://hooks.example.com/', eventTypes: ['source.error'] }
    const { id } = (await asOwner('POST', 'webhooks', body)).webhook
    return path.includes('/deliveries/{id}') ? await aDelivery(service, organization, id) : id
  }
  if (path.includes('/memory-canvas/')) return await anEntity(service, organization)
  return organization.id
}

async function aDelivery(
  { database }: TestService,
  { id: organizationId }: TestOrganization,
  webhookId: string,
): Promise<string> {
  const [id, at] = [randomUUID(), new Date()]
  await database.db
    .insertInto('webhook_deliveries')
    .values({
      organization_id: organizationId,
      id,
      webhook_id: webhookId,
      event_id: randomUUID(),
      type: 'webhook.test',
      payload: '{}',
      status: 'delivered',
      next_attempt_at: at,
      created_at: at,
    })
    .execute()
  return id
}
