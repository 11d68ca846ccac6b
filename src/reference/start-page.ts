import { type Html, html, page } from '../http/page.ts'

export interface StartFacts {
  version: string
  url: string
  /** Why it cannot serve now; null when it can. */
  unreadiness: string | null
}

/** The page at the service's address: what it is, whether it is ready, where to begin. */
export function startPage({ version, url, unreadiness }: StartFacts): Html {
  const state = unreadiness === null ? html`It is ready.` : html`It cannot serve now: ${unreadiness}.`
  return page(
    'Retrieval Memory Service',
    html`<p>
        Your company's documents as memory for agents: search, context and cited answers. ${state}
        <span class="quiet">Version ${version}.</span>
      </p>
      <p>
        <a href="${url}/guide/">Guide</a> · <a href="${url}/docs">API reference</a> ·
        <a href="${url}/errors">Errors</a> · <a href="${url}/openapi.json">OpenAPI document</a> ·
        <a href="${url}/llms.txt">llms.txt</a>
      </p>
      <h2>From a terminal, in the project's folder</h2>
      <pre>
export MEMORY_URL=${url}
export MEMORY_API_KEY=svc_…   # the key that the first start printed
npm run memory -- status
npm run memory -- import docs   # or a folder of yours
npm run memory -- ask "How do I rotate the encryption key?"</pre>
      <h2>Over HTTP</h2>
      <pre>
curl ${url}/v1/search \\
  -H "Authorization: Bearer $MEMORY_API_KEY" \\
  -H "Content-Type: application/json" -d '{"query": "rotate the encryption key"}'</pre>`,
  )
}

export function startDocument({ version, url, unreadiness }: StartFacts): Record<string, unknown> {
  return {
    service: 'Retrieval Memory Service',
    version,
    ready: unreadiness === null,
    documentation: `${url}/docs`,
    openapi: `${url}/openapi.json`,
    errors: `${url}/errors`,
  }
}
