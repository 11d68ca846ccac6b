import { z } from 'zod'
import { cleanUpAction } from '../audit/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { type Provider as ProviderOf, PROVIDERS, providers } from '../providers/index.ts'
import type { CleanUps } from './clean-ups.ts'
import type { Connections } from './connections.ts'
import type { ConnectorAccess } from './connector-access.ts'
import type { Webhooks } from './webhooks.ts'

export interface ConnectorServices {
  connections: Connections
  connectorAccess: ConnectorAccess
  webhooks: Webhooks
  cleanUps: CleanUps
}

const Provider = z.enum(PROVIDERS)
const params = z.object({ provider: Provider })
const asAdmin = { surface: 'console', role: 'admin', action: 'sources:write' } as const

/** A parameter that came twice, or not at all, counts as missing. */
const once = z.string().optional().catch(undefined)

const consoleRoutes = [
  defineRoute<ConnectorServices>()({
    operationId: 'consoleListConnectors',
    method: 'GET',
    path: '/v1/console/connectors',
    summary: 'List the providers and what is needed to connect each',
    description:
      '`offered`: its credentials are configured. `access`: `open` where the operator does not have to be asked.',
    tag: 'Connectors',
    access: { surface: 'console', role: 'admin', action: 'sources:read' },
    credits: 0,
    audit: 'none',
    responses: {
      200: z.object({
        connectors: z.array(
          z.object({
            provider: Provider,
            offered: z.boolean(),
            access: z.enum(['open', 'required', 'pending', 'granted', 'denied']),
          }),
        ),
      }),
    },
    handle: async ({ principal }, { connectorAccess }) =>
      reply(200, { connectors: await connectorAccess.list(principal) }),
  }),
  defineRoute<ConnectorServices>()({
    operationId: 'consoleRequestConnectorAccess',
    method: 'POST',
    path: '/v1/console/connector-access',
    summary: 'Ask the operator for a gated provider',
    tag: 'Connectors',
    access: asAdmin,
    credits: 0,
    audit: 'connector_access.request',
    body: z.strictObject({ provider: Provider }),
    responses: {
      201: z.object({
        request: z.object({
          id: z.uuid(),
          provider: Provider,
          status: z.enum(['pending', 'granted', 'denied']),
          createdAt: z.iso.datetime(),
        }),
      }),
    },
    handle: async ({ principal, body }, { connectorAccess }) =>
      reply(201, { request: await connectorAccess.request(principal, body.provider) }),
  }),
  defineRoute<ConnectorServices>()({
    operationId: 'consoleAuthorizeConnector',
    method: 'POST',
    path: '/v1/console/connectors/{provider}/authorize',
    summary: "Begin to connect an account: the provider's page to send the browser to",
    tag: 'Connectors',
    access: asAdmin,
    credits: 0,
    audit: 'connector.authorize',
    params,
    refuses: ['connector_access_required', 'not_configured', 'plan_limit_reached'],
    responses: { 200: z.object({ url: z.url() }) },
    handle: async ({ principal, params: { provider } }, { connections }) =>
      reply(200, { url: await connections.authorize(principal, provider) }),
  }),
]

export const connectorRoutes = [
  ...consoleRoutes,
  defineRoute<ConnectorServices>()({
    operationId: 'completeOAuth',
    method: 'GET',
    path: '/v1/oauth/{provider}/callback',
    summary: 'Where a provider sends the browser back to',
    description: 'Connects the account, queues its first run and redirects (302) to the console.',
    tag: 'Connectors',
    access: { surface: 'public' },
    credits: 0,
    audit: 'connector.connect',
    params,
    query: z.object({ state: once, code: once, error: once }),
    refuses: [
      'malformed_state',
      'upstream_error',
      'not_configured',
      'connector_access_required',
      'plan_limit_reached',
    ],
    responses: {},
    handle: async ({ params: { provider }, query, signal }, { connections }) => ({
      redirect: await connections.complete(provider, query, signal),
    }),
  }),
  ...providers.flatMap(webhookRoutes),
  ...providers.flatMap(cleanUpRoutes),
]

function webhookRoutes({ id, webhook }: ProviderOf<ProviderId>) {
  if (!webhook) return []
  return [
    defineRoute<ConnectorServices>()({
      operationId: webhook.operationId,
      method: 'POST',
      path: `/v1/webhooks/${id}`,
      summary: webhook.summary,
      description: webhook.description,
      tag: 'Connectors',
      access: { surface: 'public' },
      credits: 0,
      audit: 'none',
      bodyBytesMax: 1024 * 1024,
      refuses: ['unauthenticated', 'not_configured', 'validation_failed'],
      responses: { 200: z.union([z.object({ challenge: z.string() }), z.object({ ok: z.literal(true) })]) },
      handle: async ({ headers, rawBody }, { webhooks }) => {
        const challenge = await webhooks.receive(id, { headers, rawBody })
        return challenge === null ? reply(200, { ok: true as const }) : reply(200, { challenge })
      },
    }),
  ]
}

function cleanUpRoutes({ id: provider, cleanUps = [] }: ProviderOf<ProviderId>) {
  return cleanUps.map((job) =>
    defineRoute<ConnectorServices>()({
      operationId: job.operationId,
      method: 'POST',
      path: `/v1/maintenance/${provider}/${job.name}`,
      summary: job.summary,
      description: job.description,
      tag: 'Maintenance',
      access: { surface: 'agent', action: 'admin' },
      credits: 0,
      audit: cleanUpAction(provider, job.name),
      body: z.strictObject({ dryRun: z.boolean().default(false) }),
      responses: { 200: z.object({ scanned: z.int(), deleted: z.int(), dryRun: z.boolean() }) },
      handle: async ({ principal, body: { dryRun } }, { cleanUps: services }) =>
        reply(200, await services.run(principal, { provider, job }, dryRun)),
    }),
  )
}
