import type { FastifyInstance } from 'fastify'
import { providers } from '../providers/index.ts'

/** OAuth's error codes (RFC 6749, 4.1.2.1): nothing else that an address says is shown on a page of ours. */
const ERROR_CODE = /^[a-z_]{1,60}$/

/** Serves the page that OAuth callbacks lead to. */
export function addConnectedPage(server: FastifyInstance): void {
  server.get<{ Querystring: Record<string, unknown> }>('/console/sources', async (request, reply) =>
    reply.type('text/html; charset=utf-8').send(connectedPage(request.query)),
  )
}

/**
 * The page a person comes back to from a provider: whether the account was connected, as the callback's redirect says it.
 * It shows nothing of the address but known words, so that no link can make it say something else.
 */
export function connectedPage(query: { provider?: unknown; connected?: unknown; error?: unknown }): string {
  const provider = providers.find(({ id }) => id === query.provider)?.name ?? 'The account'
  if (typeof query.connected === 'string') {
    return page(
      `${provider} is connected`,
      'Its first sync has started by itself. What it brings can be searched as it comes. You can close this page.',
    )
  }
  if (query.error === undefined) {
    return page(
      'Nothing was connected just now',
      'This is the page that a provider sends you back to when you connect an account.',
    )
  }
  const reason =
    typeof query.error === 'string' && ERROR_CODE.test(query.error)
      ? ` The provider says: <code>${query.error}</code>.`
      : ''
  return page(
    `${provider} was not connected`,
    `Nothing was stored.${reason} You can close this page and try again.`,
  )
}

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 0 1.5rem }
  h1 { font-size: 1.5rem; line-height: 1.3 }
</style>
<h1>${title}</h1>
<p>${text}</p>
`
}
