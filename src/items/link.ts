/** Schemes that a browser would run, or that read from the reader's own machine. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set([
  'javascript:',
  'vbscript:',
  'data:',
  'file:',
  'blob:',
  'about:',
  'view-source:',
])
/** A longer text is no link. */
export const URL_CHARACTERS_MAX = 4_096

/** Whether a text is an absolute URL of any scheme that runs nothing and reads nothing local, app links such as `slack://` too. */
export function isLink(text: string): boolean {
  if (text.length > URL_CHARACTERS_MAX) return false
  const url = URL.parse(text)
  return url !== null && !REFUSED_SCHEMES.has(url.protocol)
}
