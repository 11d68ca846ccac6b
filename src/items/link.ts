/** Schemes that a browser would execute, or that read from the user's machine. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set([
  'javascript:',
  'vbscript:',
  'data:',
  'file:',
  'blob:',
  'about:',
  'view-source:',
])
export const URL_CHARACTERS_MAX = 4_096

/** Whether a text is an absolute URL whose scheme executes nothing and reads nothing local. */
export function isLink(text: string): boolean {
  if (text.length > URL_CHARACTERS_MAX) return false
  const url = URL.parse(text)
  return url !== null && !REFUSED_SCHEMES.has(url.protocol)
}
