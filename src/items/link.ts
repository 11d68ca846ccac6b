/** What opens something for a person to read or write to, and runs or opens nothing of their machine. */
const LINK_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])
/** A longer text is no link. */
export const URL_CHARACTERS_MAX = 4_096

/** Whether a text is an absolute URL that may be shown as a link: http, https or mailto. */
export function isLink(text: string): boolean {
  if (text.length > URL_CHARACTERS_MAX) return false
  const url = URL.parse(text)
  return url !== null && LINK_PROTOCOLS.has(url.protocol)
}
