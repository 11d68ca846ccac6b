import type { FastifyInstance } from 'fastify'
import { ERRORS_PATH } from '../http/error-response.ts'
import { type FixedContent, fixContent, sendFixed } from '../http/fixed-content.ts'
import { type Html, sendPage, wantsPage } from '../http/page.ts'
import { addDocsPage } from './docs-page.ts'
import { errorsPage } from './errors-page.ts'
import { startDocument, startPage } from './start-page.ts'

/** The public pages: `/`, `/docs`, `/llms.txt`, and `/errors`, which error bodies link to. */
export function addPages(
  server: FastifyInstance,
  service: {
    version: string
    llmsText: () => string
    unreadiness: () => Promise<string | null>
    /** When there is a console, `/` redirects a browser to it. */
    hasConsole: boolean
  },
): void {
  const { version, llmsText } = service
  let llms: Promise<FixedContent> | undefined
  server.get('/llms.txt', async (request, reply) => {
    llms ??= fixContent(llmsText(), 'text/plain; charset=utf-8')
    return sendFixed(request, reply, await llms)
  })
  server.get('/', async (request, reply) => {
    if (service.hasConsole && wantsPage(request))
      return reply.header('Vary', 'Accept').redirect('/console/', 302)
    const facts = { version, url: server.publicUrl(), unreadiness: await service.unreadiness() }
    if (wantsPage(request)) return sendPage(reply, 200, startPage(facts))
    return reply.header('Vary', 'Accept').send(startDocument(facts))
  })
  let errors: Html | undefined
  server.get(ERRORS_PATH, async (_request, reply) => sendPage(reply, 200, (errors ??= await errorsPage())))
  addDocsPage(server)
}
