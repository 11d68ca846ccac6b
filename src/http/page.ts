import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import tokens from '../../design/tokens.json' with { type: 'json' }

/** Text that is already HTML. Pages escape everything else. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | readonly Html[]

/** HTML whose interpolated values are escaped. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const filled = texts.map((text, at) => (at === 0 ? '' : write(parts[at - 1] ?? '')) + text)
  return new Html(filled.join(''))
}

function write(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const { colors } = tokens
const color = (name: keyof typeof colors): string => `light-dark(${colors[name].join(', ')})`

/** The same tokens as the console, the guide and the API reference. */
const STYLE = `
  :root { color-scheme: light dark; background: ${color('background')}; color: ${color('text')} }
  body { font: ${tokens.fontSize}/1.6 ${tokens.font}; max-width: 42rem; margin: 12vh auto 4rem; padding: 0 1.5rem }
  h1 { font-size: ${tokens.titleSize}; font-weight: ${tokens.titleWeight}; line-height: 1.25; letter-spacing: -0.012em }
  h2 { font-size: 1.0625rem; font-weight: ${tokens.titleWeight}; margin: 2rem 0 0 }
  a { color: ${color('link')} }
  a:focus-visible, button:focus-visible { outline: 2px solid ${color('focus')}; outline-offset: 2px }
  code, pre { font: 0.92em/1.5 ${tokens.fontMono}; background: ${color('hover')}; border-radius: ${tokens.radius} }
  code { padding: 0.1em 0.3em; overflow-wrap: anywhere }
  pre { padding: 0.8em 1em; overflow-x: auto }
  button { font: inherit; color: #fff; background: ${tokens.accent[6]}; border: 0; border-radius: ${tokens.radius}; padding: 0.5em 1em; cursor: pointer }
  section { scroll-margin-top: 1rem }
  section:target { outline: 2px solid ${color('focus')}; outline-offset: 0.6rem; border-radius: ${tokens.radius} }
  .quiet { color: ${color('dimmed')} }
`

/** On one line: the policy's hash covers every space. */
const STYLE_SHEET = new Html(`<style>${STYLE}</style>`)

/** Allows only this style sheet: no scripts, images or frames, and at most a form that posts to the service. */
const policy = (forms: "'none'" | "'self'"): string =>
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`
const POLICY = policy("'none'")
const FORM_POLICY = policy("'self'")

export function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      ${STYLE_SHEET}
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </html> `
}

/** Sends a page under a policy that allows only its style. */
export function sendPage(reply: FastifyReply, status: number, { text }: Html): FastifyReply {
  return reply
    .code(status)
    .headers({ 'Content-Security-Policy': POLICY, Vary: 'Accept' })
    .type('text/html; charset=utf-8')
    .send(text)
}

/** Sends a page with a form, which must not be cached. */
export function sendForm(reply: FastifyReply, { text }: Html): FastifyReply {
  return reply
    .code(200)
    .headers({ 'Content-Security-Policy': FORM_POLICY, 'Cache-Control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(text)
}

/** Whether a browser sent the request: programs accept anything, or name JSON. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.toLowerCase().includes('text/html') ?? false
}
