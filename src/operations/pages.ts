import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from './metrics.ts'

/** The pages that are not JSON: `/docs`, the API reference, and `/metrics`, in Prometheus' text format. */
export async function addPages(server: FastifyInstance, metrics: Metrics): Promise<void> {
  server.get('/metrics', async (_request, reply) => {
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
  await server.register(async (docs) => {
    // The reference page runs its own script and styles inline, and talks to this server only.
    docs.addHook('onSend', async (_request, reply) => {
      reply.header(
        'Content-Security-Policy',
        "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'",
      )
    })
    await docs.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        title: 'Retrieval Memory Service',
        withDefaultFonts: false,
        telemetry: false,
        // What would talk to other servers than this one.
        agent: { disabled: true },
        mcp: { disabled: true },
        showDeveloperTools: 'never',
        hideClientButton: true,
      },
    })
  })
}
