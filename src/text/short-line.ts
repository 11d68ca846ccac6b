/** A text on one line, cut to so many characters; "…" replaces the rest. */
export function shortLine(text: string, charactersMax: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  // A character has at most two code units, so that more than fit are read.
  const characters = Array.from(line.slice(0, 2 * charactersMax + 1))
  if (characters.length <= charactersMax) return line
  const start = characters.slice(0, charactersMax - 1).join('')
  return `${start.trimEnd()}…`
}
