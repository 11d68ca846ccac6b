import type { SiteState } from './build.ts'
import { type Html, html, page } from '../http/page.ts'

const RELOAD_SECONDS = 3

export interface NamedSite {
  name: 'console' | 'guide'
  script: string
}

export const CONSOLE: NamedSite = { name: 'console', script: 'scripts/build-console.mjs' }
export const GUIDE: NamedSite = { name: 'guide', script: 'scripts/build-guide.mjs' }

/** Shown while a site is unavailable. While the site is being built, the page reloads itself without a script. */
export function waitingPage(
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
        html`<p>The <a href="${url}/docs">API</a> is up without it. The build reported:</p>
          <pre>${state.reason}</pre>
          <p>
            The build needs the npm registry, once, and a writable folder. Fix the cause and start the service
            again, or run <code>node ${script}</code> in the project's folder and reload this page.
          </p>`,
      )
  }
}
