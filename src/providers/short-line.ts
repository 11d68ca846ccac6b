const LENGTH = 80

/** The beginning of a text on one line, for the title of a message that has none. */
export function shortLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const characters = Array.from(line)
  if (characters.length <= LENGTH) return line
  const start = characters.slice(0, LENGTH - 1).join('')
  return `${start.trimEnd()}…`
}
