import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SiteBuild } from './build.ts'
import { GUIDE, KEPT_A_YEAR, sendWaitingPage, STATIC_OPTIONS } from './waiting-page.ts'

export const GUIDE_PATH = '/guide'
/** The generator adds a hash of their content to these names. */
const HASHED = /^assets\//
/** The files of a page. Everything else in the folder, such as compressed copies, has no address. */
const FILE = /^[\w@.][\w@./-]*\.(?:html|js|css|svg|webp|json)$/

/** Scripts and styles come only from this service. The theme uses inline styles, and data: URLs for its icons. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the guide, the documentation as a site, below `/guide/` without authentication. */
export async function addGuide(server: FastifyInstance, build: SiteBuild): Promise<void> {
  if (!server.hasReplyDecorator('sendFile'))
    await server.register(fastifyStatic, { root: build.folder, ...STATIC_OPTIONS })
  server.get(GUIDE_PATH, async (request, reply) => {
    const [path = ''] = request.url.split('?', 1)
    return path.endsWith('/') ? sendFile('index.html', reply) : reply.redirect(`${GUIDE_PATH}/`, 302)
  })
  server.get<{ Params: { '*': string } }>(`${GUIDE_PATH}/*`, async (request, reply) => {
    const file = request.params['*']
    if (FILE.test(file) && !file.includes('..')) return sendFile(file, reply)
    // A hand-written address without the extension.
    if (/^[\w/-]+\w$/.test(file)) return reply.redirect(`${GUIDE_PATH}/${file}.html`, 302)
    return reply.callNotFound()
  })

  function sendFile(file: string, reply: FastifyReply): unknown {
    const state = build.state()
    if (state.is === 'ready') {
      reply.header('Content-Security-Policy', POLICY)
      if (HASHED.test(file)) return reply.sendFile(file, build.folder, KEPT_A_YEAR)
      return reply.header('Cache-Control', 'no-cache').sendFile(file, build.folder)
    }
    if (!file.endsWith('.html')) return reply.callNotFound()
    return sendWaitingPage(reply, server, GUIDE, state)
  }
}
