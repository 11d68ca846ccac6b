import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PROVIDERS } from '../kernel/providers.ts'
import { count, EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'
import type { CleanUpSystemEvents } from './clean-up-system-events.ts'
import type { Connections } from './connections.ts'
import type { ConnectorAccess } from './connector-access.ts'
import type { SlackWebhook } from './slack-webhook.ts'

export interface ConnectorServices {
  connections: Connections
  connectorAccess: ConnectorAccess
  slackWebhook: SlackWebhook
  cleanUpSystemEvents: CleanUpSystemEvents
}

const Provider = z.enum(PROVIDERS).meta({ description: 'The provider.', example: 'slack' })
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
        connectors: z
          .array(
            z.object({
              provider: Provider,
              offered: z
                .boolean()
                .meta({ description: 'Whether the deployment has its credentials.', example: true }),
              access: z
                .enum(['open', 'required', 'pending', 'granted', 'denied'])
                .describe("Whether the operator's leave is needed, and how far that is."),
            }),
          )
          .describe('The providers.'),
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
    body: z.strictObject({ provider: Provider.meta({ example: 'gmail' }) }),
    responses: {
      201: z.object({
        request: z
          .object({
            id: shownId("The request's id.", EXAMPLE_ID.request),
            provider: Provider.meta({ example: 'gmail' }),
            status: z.enum(['pending', 'granted', 'denied']).describe('How far it is.'),
            createdAt: moment('When it was first made.'),
          })
          .describe('The request, which the operator sees.'),
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
    responses: {
      200: z.object({
        url: z.url().meta({
          description: "The provider's page to send the browser to.",
          example: 'https://slack.com/oauth/v2/authorize?state=…',
        }),
      }),
    },
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
    query: z.object({
      state: once.describe('The state that authorize gave the provider.'),
      code: once.describe("What the account's grant is fetched with."),
      error: once.describe('Why the provider refused, in its words.'),
    }),
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
  defineRoute<ConnectorServices>()({
    operationId: 'receiveSlackEvents',
    method: 'POST',
    path: '/v1/webhooks/slack',
    summary: "Take events of Slack's Events API",
    description:
      "Signed by Slack (`X-Slack-Signature`). What an event announces is read by the source's next run.",
    tag: 'Connectors',
    access: { surface: 'public' },
    credits: 0,
    audit: 'none',
    bodyBytesMax: 1024 * 1024,
    refuses: ['unauthenticated', 'not_configured', 'validation_failed'],
    responses: {
      200: z.union([
        z.object({ ok: z.literal(true).describe('The event was taken.') }),
        z.object({
          challenge: text('What Slack sent to see whether somebody is here.', '3eZbrw1aBm2rZgRNFdxV'),
        }),
      ]),
    },
    handle: async ({ headers, rawBody }, { slackWebhook }) => {
      const challenge = await slackWebhook.receive({
        timestamp: single(headers['x-slack-request-timestamp']),
        signature: single(headers['x-slack-signature']),
        rawBody,
      })
      return challenge === null ? reply(200, { ok: true as const }) : reply(200, { challenge })
    },
  }),
  defineRoute<ConnectorServices>()({
    operationId: 'cleanUpSlackSystemEvents',
    method: 'POST',
    path: '/v1/maintenance/slack/cleanup-system-events',
    summary: 'Remove Slack system messages that were stored as content',
    description: 'With `dryRun` nothing is removed, and `deleted` says how many would be.',
    tag: 'Maintenance',
    access: { surface: 'agent', action: 'admin', reach: ['slack'] },
    credits: 0,
    audit: 'maintenance.slack.cleanup_system_events',
    refuses: ['provider_not_allowed'],
    body: z.strictObject({ dryRun: z.boolean().default(false).describe('Only count, and remove nothing.') }),
    responses: {
      200: z.object({
        scanned: count('Messages that were looked at.', 120),
        deleted: count('Messages that were removed, or on a dry run would be.', 4),
        dryRun: z.boolean().meta({ description: 'Whether it only counted.', example: false }),
      }),
    },
    handle: async ({ principal, body: { dryRun } }, { cleanUpSystemEvents }) =>
      reply(200, await cleanUpSystemEvents.run(principal, dryRun)),
  }),
]

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
