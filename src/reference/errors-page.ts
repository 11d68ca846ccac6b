import { readFile } from 'node:fs/promises'
import { type Html, html, page } from '../http/page.ts'
import { ERROR_CODES } from '../kernel/error-codes.ts'

/** The one place that explains the codes; a test compares it with the list of codes. */
const EXPLANATIONS = new URL('../../docs/reference/errors.md', import.meta.url)

/** A row of the page's table: code, status, explanation in Markdown. */
const ROW = /^\| `(\w+)` \| (\d{3}) \| (.*) \|$/gm

/** The page that error bodies link to. Each code has an anchor and its explanation from docs/reference/errors.md. */
export async function errorsPage(): Promise<Html> {
  const explanations = new Map<string, string>()
  for (const [, code = '', , text = ''] of (await readFile(EXPLANATIONS, 'utf8')).matchAll(ROW))
    explanations.set(code, text)
  const entries = Object.entries(ERROR_CODES).map(
    ([code, status]) =>
      html`<section id="${code}">
        <h2><code>${code}</code> <span class="quiet">${status}</span></h2>
        <p>${inline(explanations.get(code) ?? '')}</p>
      </section>`,
  )
  return page(
    'Errors',
    html`<p>
        Every error is JSON with <code>error</code>, for people, <code>code</code>, for programs, and
        <code>documentation</code>, a link to its entry here. A request that is refused or fails costs no
        credit and stores nothing. Quote the <code>X-Request-Id</code> of the response when you report a
        fault.
      </p>
      ${entries}`,
  )
}

/** Renders Markdown's code and drops links, which lead to other files of the documentation. */
function inline(markdown: string): Html {
  const parts = markdown.replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '').split('`')
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`
}
