import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import tokens from '../../design/tokens.json' with { type: 'json' }
import { makeOnce } from '../kernel/make-once.ts'
import { type FixedContent, fixContent, sendFixed } from '../http/fixed-content.ts'

/** Scripts come only from this service, as files. Inline styles are allowed because the page's library creates them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API reference · Retrieval Memory Service</title>
    <link rel="icon" href="data:," />
    <meta name="description" content="Every operation of the Retrieval Memory Service, to read and to try." />
  </head>
  <body>
    <noscript>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> has the same content.</noscript>
    <div id="reference"></div>
    <script src="/docs/js/scalar.js"></script>
    <script src="/docs/js/start.js"></script>
  </body>
</html>
`

/** The tokens of the console and the guide as the library's variables. */
function look(at: 0 | 1): string {
  const color = (name: keyof typeof tokens.colors): string | undefined => tokens.colors[name][at]
  return [
    `--scalar-font: ${tokens.font}`,
    `--scalar-font-code: ${tokens.fontMono}`,
    `--scalar-radius: ${tokens.radius}`,
    `--scalar-background-1: ${at === 0 ? color('panel') : color('background')}`,
    `--scalar-background-2: ${at === 0 ? color('background') : color('panel')}`,
    `--scalar-background-3: ${color('hover')}`,
    `--scalar-background-accent: ${color('chosen')}`,
    `--scalar-color-1: ${color('text')}`,
    `--scalar-color-2: ${color('dimmed')}`,
    `--scalar-color-3: ${color('dimmed')}`,
    `--scalar-color-accent: ${color('link')}`,
    `--scalar-color-blue: ${color('link')}`,
    `--scalar-color-purple: ${color('link')}`,
    `--scalar-color-green: ${color('good')}`,
    `--scalar-color-red: ${color('error')}`,
    `--scalar-color-orange: ${color('warning')}`,
    `--scalar-color-yellow: ${color('warning')}`,
    `--scalar-border-color: ${color('line')}`,
    `--scalar-sidebar-background-1: ${color('background')}`,
  ].join('; ')
}

const CONFIGURATION = {
  // Lists of operations show all of them, because the keyboard cannot scroll a list without a focus.
  customCss: `.light-mode { ${look(0)} } .dark-mode { ${look(1)} } .scalar-card-content:has(.endpoints), .endpoints { max-height: none !important; overflow: visible !important }`,
  url: '/openapi.json',
  withDefaultFonts: false,
  metaData: { title: 'API reference · Retrieval Memory Service' },
  // Shows the agents' scheme first, with its field ready to fill in.
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultOpenFirstTag: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  telemetry: false,
  // These would contact other servers.
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
}

/** Requests go to the page's own origin, as the policy demands. Some buttons get a label for speech control. */
const START = `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(CONFIGURATION)},
  servers: [{ url: location.origin }],
})
new MutationObserver(() => {
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) button.removeAttribute('aria-label')
}).observe(document.body, { childList: true, subtree: true })
`
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** The API reference at `/docs`, rendered from `/openapi.json`. Its files are created at their first request. */
export function addDocsPage(server: FastifyInstance): void {
  const files: Record<string, () => Promise<FixedContent>> = {
    '/docs': makeOnce(() => fixContent(PAGE, 'text/html; charset=utf-8')),
    '/docs/js/start.js': makeOnce(() => fixContent(START, JAVASCRIPT)),
    '/docs/js/scalar.js': makeOnce(async () => fixContent(await readScalar(), JAVASCRIPT)),
  }
  for (const [url, file] of Object.entries(files)) {
    server.get(url, async (request, reply) => {
      reply.header('Content-Security-Policy', POLICY)
      return sendFixed(request, reply, await file())
    })
  }
}

async function readScalar(): Promise<Uint8Array> {
  const worker = new Worker(new URL('./scalar-worker.ts', import.meta.url))
  try {
    const [script]: unknown[] = await once(worker, 'message')
    return z.instanceof(Uint8Array).parse(script)
  } finally {
    await worker.terminate()
  }
}
