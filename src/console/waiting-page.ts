import type { ConsoleState } from './build.ts'
import { type Html, html, page } from '../http/page.ts'

const RELOAD_SECONDS = 3

/** What stands in the console's place while it cannot be served. The first reloads itself, without a script. */
export function waitingPage(state: Exclude<ConsoleState, { is: 'ready' }>, url: string): Html {
  switch (state.is) {
    case 'preparing':
      return page(
        'The console is being prepared',
        html`<meta http-equiv="refresh" content="${RELOAD_SECONDS}" />
          <p>
            It is built once, which takes less than a minute. This page reloads by itself. The
            <a href="${url}/docs">API</a> is up already.
          </p>`,
      )
    case 'missing':
      return page(
        'The console is not there',
        html`<p>The <a href="${url}/docs">API</a> is up without it. What the build said:</p>
          <pre>${state.reason}</pre>
          <p>
            The build needs the npm registry, once, and a <code>console</code> folder it can write to. Mend
            that and start the service again, or run <code>node scripts/build-console.mjs</code> in the
            project's folder and reload this page.
          </p>`,
      )
  }
}
