import type { EmulatorReply } from '../../kit/server.ts'
import { html, type Html } from './html.ts'

/** A page in the shared style, without scripts. */
export function pageReply(title: string, body: Html, status = 200): EmulatorReply {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          ${{ markup: STYLE }}
        </style>
      </head>
      <body>
        <main>
          ${body}
          <footer>
            Stripe emulator: nothing here is real, no card is charged. <a href="/">Clock and accounts</a>
          </footer>
        </main>
      </body>
    </html>`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    'cache-control': 'no-store',
  }
  return { status, headers, text: page.markup }
}

export function redirectTo(location: string): EmulatorReply {
  return { status: 303, headers: { location }, text: '' }
}

/** Cents as dollars, `-$1,234.50`. */
export function money(cents: number): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(cents / 100)
}

/** A time as `21 Nov 2026, 14:05 UTC`. */
export function moment(time: number): string {
  const text = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return `${text.format(time * 1000)} UTC`
}

const STYLE = `
:root {
  --page: #f5f6f8; --card: #fff; --ink: #1b2030; --soft: #596073; --line: #dfe2e9;
  --accent: #4f46c8; --on-accent: #fff; --bad: #a8202f; --bad-page: #fdecee; --good: #166534; --good-page: #e7f6ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #13151c; --card: #1d2029; --ink: #eceef4; --soft: #a3a9ba; --line: #343947;
    --accent: #9d97ff; --on-accent: #15122e; --bad: #ff9aa5; --bad-page: #3a1c22; --good: #86e0a6; --good-page: #16301f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1rem 4rem; }
section, .card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem 1.5rem; margin: 0 0 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.05rem; margin: 0 0 .75rem; }
p { margin: 0 0 .75rem; }
.soft, footer { color: var(--soft); }
footer { font-size: .875rem; margin-top: 2rem; }
.big { font-size: 2rem; font-weight: 650; line-height: 1.2; }
.note { border-radius: 8px; padding: .75rem 1rem; margin: 0 0 1rem; }
.bad { color: var(--bad); background: var(--bad-page); }
.good { color: var(--good); background: var(--good-page); }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 500; font-size: .875rem; border-top: 0; }
td.end, th.end { text-align: right; padding-right: 0; }
.scroll { overflow-x: auto; }
fieldset { border: 0; margin: 0 0 1rem; padding: 0; display: grid; gap: .5rem; }
legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
label.choice { display: flex; gap: .75rem; align-items: baseline; border: 1px solid var(--line); border-radius: 8px; padding: .625rem .875rem; cursor: pointer; }
label.choice:has(input:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
label.choice span:first-of-type { flex: 1; }
input { accent-color: var(--accent); }
code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
label.field { display: block; margin: 0 0 1rem; }
label.field input { display: block; width: 100%; margin-top: .25rem; }
input[type=email], input[type=number], select { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 8px; padding: .5rem .75rem; }
button { font: inherit; font-weight: 600; border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem; background: var(--card); color: var(--ink); cursor: pointer; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.wide { width: 100%; padding: .75rem 1rem; }
button:hover { filter: brightness(1.06); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.row form { margin: 0; }
.spread { justify-content: space-between; }
.tag { border: 1px solid var(--line); border-radius: 999px; padding: .05rem .6rem; font-size: .875rem; }
`
