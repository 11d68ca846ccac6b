import Fastify, { type FastifyInstance } from 'fastify'
import { ERRORS_PATH } from '../http/error-response.ts'
import { sendPage, wantsPage } from '../http/page.ts'
import { errorsPage } from './errors-page.ts'
import { startDocument, startPage } from './start-page.ts'

/** The reference page runs its own script and styles inline, and talks to this server only. */
const DOCS_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'"

/**
 * What explains the service, to everybody: `/`, where a browser begins, `/docs`, the API reference, `/llms.txt`, the same for
 * language models, and `/errors`, which error bodies link to.
 */
export function addPages(
  server: FastifyInstance,
  service: {
    version: string
    llmsText: () => string
    unreadiness: () => Promise<string | null>
    /** Where there is a console, `/` leads a browser there. */
    hasConsole: boolean
  },
): void {
  const { version, llmsText } = service
  server.get('/llms.txt', async (_request, reply) => reply.type('text/plain; charset=utf-8').send(llmsText()))
  server.get('/', async (request, reply) => {
    if (service.hasConsole && wantsPage(request))
      return reply.header('Vary', 'Accept').redirect('/console/', 302)
    const facts = { version, url: server.publicUrl(), unreadiness: await service.unreadiness() }
    if (wantsPage(request)) return sendPage(reply, 200, startPage(facts))
    return reply.header('Vary', 'Accept').send(startDocument(facts))
  })
  server.get(ERRORS_PATH, async (_request, reply) => sendPage(reply, 200, await errorsPage()))
  let docs: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*']) {
    server.get(url, async (request, reply) => {
      docs ??= createDocs()
      const { statusCode, headers, rawPayload } = await (await docs).inject(request.url)
      if (statusCode >= 400) {
        reply.callNotFound()
        return reply
      }
      return reply
        .code(statusCode)
        .headers({ ...headers, 'Content-Security-Policy': DOCS_POLICY })
        .send(rawPayload)
    })
  }
}

/** A server of its own, made when somebody first looks: the page's script is 4 MB, which most starts never need. */
async function createDocs(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const docs = Fastify()
  await docs.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      title: 'Retrieval Memory Service',
      withDefaultFonts: false,
      // What an agent's operations take: so its field is there to be filled in.
      authentication: { preferredSecurityScheme: 'apiKey' },
      telemetry: false,
      // What would talk to other servers than this one.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
    },
  })
  return docs
}
