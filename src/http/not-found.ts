import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { clipped } from '../kernel/text.ts'
import { type Addresses, pathOf } from './route-addresses.ts'
import { nearestRoute, type RouteAddress } from './nearest-route.ts'
import { html, page, sendPage, wantsPage } from './page.ts'
import { sendError } from './send-error.ts'

const PATH_CHARACTERS_SHOWN = 200

/** Answers 404 with the nearest route. Browsers get a page. */
export function answerUnknownRoutes(app: FastifyInstance, addresses: Addresses): void {
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const nearest = nearestRoute({ method: request.method, path }, addresses.known())
    if (wantsPage(request)) {
      sendUnknownPage(request, reply, path, nearest)
      return
    }
    const hint = nearest === undefined ? '' : `; did you mean ${nearest.method} ${nearest.path}?`
    reply.header('Vary', 'Accept')
    sendError(reply, new AppError('not_found', `There is no ${request.method} ${shown(path)}${hint}`))
  })
}

function sendUnknownPage(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  nearest: RouteAddress | undefined,
): void {
  const asked = html`<p>There is no <code>${request.method} ${shown(path)}</code>.</p>`
  const meant =
    nearest === undefined ? html`` : html`<p>Did you mean <code>${nearest.method} ${nearest.path}</code>?</p>`
  const url = reply.server.publicUrl()
  const onwards = html`<p>
    <a href="${url}/">Where to begin</a> · <a href="${url}/guide/">Guide</a> ·
    <a href="${url}/docs">API reference</a>
  </p>`
  sendPage(reply, 404, page('Page not found', html`${asked} ${meant} ${onwards}`))
}

const shown = (path: string): string => clipped(path, PATH_CHARACTERS_SHOWN)
