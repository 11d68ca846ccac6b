/** Parses JSON; undefined if it is none. Ignores a byte order mark, which some programs put before it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
