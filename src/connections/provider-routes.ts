import { z } from 'zod'
import { cleanUpAction } from '../audit/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { text } from '../kernel/schemas.ts'
import { type Provider, providers } from '../providers/index.ts'
import type { CleanUps } from './clean-ups.ts'
import type { IncomingWebhooks } from './incoming-webhooks.ts'
import { CleanUpReport } from './schemas.ts'

export interface ProviderServices {
  incomingWebhooks: IncomingWebhooks
  cleanUps: CleanUps
}

/** The routes that providers describe: their webhooks and clean-ups. */
export const providerRoutes = [...providers.flatMap(webhookRoutes), ...providers.flatMap(cleanUpRoutes)]

function webhookRoutes({ id, webhook }: Provider<ProviderId>) {
  if (!webhook) return []
  return [
    defineRoute<ProviderServices>()({
      operationId: webhook.operationId,
      method: 'POST',
      path: `/v1/webhooks/${id}`,
      summary: webhook.summary,
      description: webhook.description,
      tag: 'Connectors',
      access: { surface: 'public' },
      audit: 'none',
      bodyBytesMax: 1024 * 1024,
      refuses: ['unauthenticated', 'not_configured', 'validation_failed'],
      responses: {
        200: z.union([
          z.object({ ok: z.literal(true).describe('The event was received.') }),
          z.object({
            challenge: text(
              'The challenge that the provider sent to verify this address.',
              '3eZbrw1aBm2rZgRNFdxV',
            ),
          }),
        ]),
      },
      handle: async ({ headers, rawBody }, { incomingWebhooks }) => {
        const challenge = await incomingWebhooks.receive(id, { headers, rawBody })
        return challenge === null ? reply(200, { ok: true as const }) : reply(200, { challenge })
      },
    }),
  ]
}

function cleanUpRoutes({ id: provider, cleanUps = [] }: Provider<ProviderId>) {
  return cleanUps.map((job) =>
    defineRoute<ProviderServices>()({
      operationId: job.operationId,
      method: 'POST',
      path: `/v1/maintenance/${provider}/${job.name}`,
      summary: job.summary,
      description: job.description,
      tag: 'Maintenance',
      access: { surface: 'agent', action: 'admin', reach: [provider] },
      audit: cleanUpAction(provider, job.name),
      refuses: ['provider_not_allowed'],
      body: z.strictObject({
        dryRun: z.boolean().default(false).describe('Only count; delete nothing.'),
      }),
      responses: { 200: CleanUpReport },
      handle: async ({ caller, body: { dryRun } }, { cleanUps: services }) =>
        reply(200, await services.run(caller, { provider, job }, dryRun)),
    }),
  )
}
