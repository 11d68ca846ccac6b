import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SiteState } from './build.ts'
import { type Html, html, page, sendPage } from '../http/page.ts'

const RELOAD_SECONDS = 3

/** Of `@fastify/static`: the routes send the files. */
export const STATIC_OPTIONS = {
  serve: false,
  preCompressed: true,
  cacheControl: false,
  index: false,
  suppressWarning: true,
} as const

/** For files whose name changes with their content. Set with the file, so that a missing one is not cached. */
export const KEPT_A_YEAR = { cacheControl: true, maxAge: '365d', immutable: true } as const

export interface NamedSite {
  name: 'console' | 'guide'
  script: string
}

export const CONSOLE: NamedSite = { name: 'console', script: 'scripts/build-console.mjs' }
export const GUIDE: NamedSite = { name: 'guide', script: 'scripts/build-guide.mjs' }

/** Answers for a site that is unavailable. While the site is being built, the page reloads itself without a script. */
export function sendWaitingPage(
  reply: FastifyReply,
  server: FastifyInstance,
  site: NamedSite,
  state: Exclude<SiteState, { is: 'ready' }>,
): FastifyReply {
  const isPreparing = state.is === 'preparing'
  reply.header('Cache-Control', 'no-store')
  if (isPreparing) reply.header('Retry-After', String(RELOAD_SECONDS))
  return sendPage(reply, isPreparing ? 200 : 503, waitingPage(site, state, server.publicUrl()))
}

function waitingPage(
  { name, script }: NamedSite,
  state: Exclude<SiteState, { is: 'ready' }>,
  url: string,
): Html {
  switch (state.is) {
    case 'preparing':
      return page(
        `The ${name} is being prepared`,
        html`<meta http-equiv="refresh" content="${RELOAD_SECONDS}" />
          <p>
            It is built once, which takes less than a minute. This page reloads by itself. The
            <a href="${url}/docs">API</a> is up already.
          </p>`,
      )
    case 'missing':
      return page(
        `The ${name} is unavailable`,
        html`<p>The <a href="${url}/docs">API</a> is available. The build reported:</p>
          <pre>${state.reason}</pre>
          <p>
            The build needs the npm registry, once, and a writable folder. Fix the cause and start the service
            again, or run <code>node ${script}</code> in the project's folder and reload this page.
          </p>`,
      )
  }
}
