import { escapeHtml } from '../../html-text.ts'

const CDATA = '<![CDATA['
const CDATA_END = ']]>'
const PERSON = /<ri:user\b[^<>]{0,300}?\bri:account-id="([^"<>]{1,128})"[^<>]{0,300}>/g

/**
 * Confluence's storage format as HTML: code, which is in CDATA sections, as code blocks, and mentioned people by name.
 */
export function htmlOfStorage(storage: string, nameOf: (accountId: string) => string): string {
  let html = ''
  let at = 0
  for (;;) {
    const start = storage.indexOf(CDATA, at)
    const end = start === -1 ? -1 : storage.indexOf(CDATA_END, start)
    if (end === -1) break
    const code = escapeHtml(storage.slice(start + CDATA.length, end))
    html += `${withNames(storage.slice(at, start), nameOf)}<pre>${code}</pre>`
    at = end + CDATA_END.length
  }
  return html + withNames(storage.slice(at), nameOf)
}

/** The account ids of people who are mentioned. */
export const namesIn = (storage: string): string[] =>
  [...storage.matchAll(PERSON)].map(([, accountId = '']) => accountId)

const withNames = (html: string, nameOf: (accountId: string) => string): string =>
  html === ''
    ? ''
    : html.replaceAll(PERSON, (_match, accountId: string) => `@${escapeHtml(nameOf(accountId))}`)
