import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import type { AppError } from '../kernel/errors.ts'
import { EXAMPLE_ID, shownId } from '../kernel/schemas.ts'
import type { Connections } from './connections.ts'
import type { ConnectorAccess } from './connector-access.ts'
import { failedPage, questionPage } from './oauth-pages.ts'
import { malformedState } from './oauth-states.ts'
import { Provider, AccessRequest, ConnectorView } from './schemas.ts'

export interface ConnectionServices {
  connections: Connections
  connectorAccess: ConnectorAccess
}

const params = z.object({ provider: Provider })

const asAdmin = { surface: 'console', role: 'admin', action: 'sources:write' } as const

/** A repeated parameter counts as missing. */
const once = z.string().optional().catch(undefined)

const CONFIRMATION_BYTES_MAX = 32 * 1024

/** Shared by both ways to end a flow. */
const callback = {
  path: '/v1/oauth/{provider}/callback',
  tag: 'Connectors',
  access: { surface: 'public' },
  audit: 'connector.connect',
  params,
  refuses: [
    'malformed_state',
    'upstream_error',
    'not_configured',
    'connector_access_required',
    'plan_limit_reached',
    'role_required',
  ],
  responses: {},
  errorPage: (error: AppError, given: unknown) => failedPage(error, params.safeParse(given).data?.provider),
} as const

const FIELDS_MAX = 20

const FIELD_CHARACTERS_MAX = 10_000

const consoleRoutes = [
  defineRoute<ConnectionServices>()({
    operationId: 'consoleListConnectorAccess',
    method: 'GET',
    path: '/v1/console/connector-access',
    summary: "List the workspace's requests for access to gated providers, newest first",
    tag: 'Connectors',
    access: { surface: 'console', role: 'admin', action: 'sources:read' },
    audit: 'none',
    responses: {
      200: z.object({ requests: z.array(AccessRequest).describe('The requests, answered or not.') }),
    },
    handle: async ({ caller }, { connectorAccess }) =>
      reply(200, { requests: await connectorAccess.requests(caller) }),
  }),
  defineRoute<ConnectionServices>()({
    operationId: 'consoleListConnectors',
    method: 'GET',
    path: '/v1/console/connectors',
    summary: 'List the providers and their connection forms',
    description:
      '`offered`: its credentials are configured. `access`: `open` means that no approval by the operator is required.',
    tag: 'Connectors',
    access: { surface: 'console', role: 'admin', action: 'sources:read' },
    audit: 'none',
    responses: {
      200: z.object({
        connectors: z.array(ConnectorView).describe('The providers.'),
      }),
    },
    handle: async ({ caller }, { connectorAccess }) =>
      reply(200, { connectors: await connectorAccess.list(caller) }),
  }),
  defineRoute<ConnectionServices>()({
    operationId: 'consoleRequestConnectorAccess',
    method: 'POST',
    path: '/v1/console/connector-access',
    summary: 'Request access to a gated provider',
    tag: 'Connectors',
    access: asAdmin,
    audit: 'connector_access.request',
    body: z.strictObject({ provider: Provider.meta({ example: 'gmail' }) }),
    responses: {
      201: z.object({
        request: AccessRequest,
      }),
    },
    handle: async ({ caller, body }, { connectorAccess }) =>
      reply(201, { request: await connectorAccess.request(caller, body.provider) }),
  }),
  defineRoute<ConnectionServices>()({
    operationId: 'consoleGrantConnectorAccess',
    method: 'POST',
    path: '/v1/console/connector-access/{provider}/grant',
    summary: 'Grant the local workspace access to a gated provider',
    description:
      'Only for a deployment on your own machine: with the embedded database, the development issuer and no ' +
      '`OPERATOR_TOKEN`. Elsewhere, the operator grants access.',
    tag: 'Connectors',
    access: { surface: 'console', role: 'owner', action: 'sources:write' },
    audit: 'connector_access.grant',
    params,
    refuses: ['connector_access_required', 'validation_failed'],
    responses: { 200: z.object({ request: AccessRequest }) },
    handle: async ({ caller, params: { provider } }, { connectorAccess }) =>
      reply(200, { request: await connectorAccess.grant(caller, provider) }),
  }),
  defineRoute<ConnectionServices>()({
    operationId: 'consoleAuthorizeConnector',
    method: 'POST',
    path: '/v1/console/connectors/{provider}/authorize',
    summary: "Start connecting an account; returns the provider's page to send the browser to",
    description:
      'Also sets a cookie. In the browser with this cookie, the callback connects the account at once; in any other browser, it asks for confirmation.',
    tag: 'Connectors',
    access: asAdmin,
    audit: 'connector.authorize',
    params,
    query: z.strictObject({
      firstSync: z
        .enum(['now', 'after_choice'])
        .default('now')
        .meta({
          description:
            'When the first sync of a new source starts. `now`: once the account is connected. `after_choice`: with ' +
            '`POST /v1/console/sync-runs`, after you have chosen the channels, or after 15 minutes. Only sources with channels wait.',
          example: 'after_choice',
        }),
    }),
    refuses: ['connector_access_required', 'not_configured', 'plan_limit_reached'],
    responses: {
      200: z.object({
        url: z.url().meta({
          description: "The provider's page to send the browser to.",
          example: 'https://slack.com/oauth/v2/authorize?state=0J8s3XkQ',
        }),
      }),
    },
    handle: async ({ caller, params: { provider }, query: { firstSync } }, { connections }) => {
      const options = { awaitsChoice: firstSync === 'after_choice' }
      const { url, cookie } = await connections.authorize(caller, provider, options)
      return reply(200, { url }, { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' })
    },
  }),
  defineRoute<ConnectionServices>()({
    operationId: 'consoleConnectByForm',
    method: 'POST',
    path: '/v1/console/connectors/{provider}/connect',
    summary: "Connect an account with the fields of its provider's form",
    description:
      'For providers whose `form` in `GET /v1/console/connectors` is not null. The values are checked at the provider, stored encrypted and never returned. Connecting the same account again keeps its source.',
    tag: 'Connectors',
    access: asAdmin,
    audit: 'connector.connect',
    params,
    body: z.strictObject({
      fields: z
        .record(z.string().max(100), z.string().max(FIELD_CHARACTERS_MAX))
        .refine(
          (fields) => Object.keys(fields).length <= FIELDS_MAX,
          `must have at most ${FIELDS_MAX} fields`,
        )
        .meta({ description: 'The entered values, by field name.', example: { token: 'a-token' } }),
    }),
    refuses: ['connector_access_required', 'not_configured', 'plan_limit_reached', 'upstream_error'],
    responses: {
      200: z.object({ connectorId: shownId("The account's source.", EXAMPLE_ID.source) }),
    },
    handle: async ({ caller, params: { provider }, body }, { connections }) =>
      reply(200, { connectorId: await connections.submit(caller, provider, body.fields) }),
  }),
]

export const connectionRoutes = [
  ...consoleRoutes,
  defineRoute<ConnectionServices>()({
    ...callback,
    operationId: 'completeOAuth',
    method: 'GET',
    summary: 'The callback of an authorization',
    description:
      'In the browser that started the flow, it connects the account, queues its first run and redirects (302) to the console. In any other, it returns a page (200, HTML) that asks for confirmation.',
    // Providers add parameters of their own.
    query: z.looseObject({
      state: once.describe('The state that the authorize call gave the provider.'),
      code: once.describe("The code to exchange for the account's grant."),
      error: once.describe("Why the provider refused, in the provider's words."),
    }),
    handle: async ({ params: { provider }, query, headers, signal }, { connections }) => {
      const end = await connections.complete(provider, query, { cookie: headers.cookie, signal })
      return 'question' in end ? { form: questionPage(end.question) } : end
    },
  }),
  defineRoute<ConnectionServices>()({
    ...callback,
    operationId: 'confirmOAuth',
    method: 'POST',
    summary: 'Connect an account after the confirmation page',
    description:
      "Accepts that page's form (`application/x-www-form-urlencoded`, field `confirmation`), once; queues the first run and redirects (303) to the console.",
    bodyBytesMax: CONFIRMATION_BYTES_MAX,
    handle: async ({ params: { provider }, headers, rawBody, signal }, { connections }) => {
      // Only the page itself may send its form. The sealed form already protects it; this is defense in depth.
      if ((headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin') throw malformedState()
      const confirmation = new URLSearchParams(rawBody.toString('utf8')).get('confirmation') ?? ''
      return { redirect: await connections.confirm(provider, confirmation, signal), status: 303 }
    },
  }),
]
