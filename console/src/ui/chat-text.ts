/** The fields of an item that tell how its text is laid out. */
interface Laid {
  sourceKind: string
  metadata: Record<string, unknown>
}

const MARKDOWN = /[\\`*_{}[\]()#+\-.!|<>~]/g

/** The authors of a chat's messages; null for other texts. */
export function sendersOf({ sourceKind, metadata }: Laid): readonly string[] | null {
  const senders = stringsOf(metadata.senders)
  return sourceKind === 'message' && senders.length > 0 ? senders : null
}

/**
 * A chat as Markdown: each message is a paragraph that begins with its author in bold. The rendered text stays the
 * same, so that what is cited is found in it.
 */
export function chatMarkdown(body: string, senders: readonly string[]): string {
  const names = new Set(senders)
  return body
    .split('\n')
    .map((line) => {
      const end = line.indexOf(': ')
      const name = line.slice(0, Math.max(0, end))
      if (!names.has(name)) return line
      return `\n**${name.replaceAll(MARKDOWN, String.raw`\$&`)}:** ${line.slice(end + 2)}`
    })
    .join('\n')
}

/** The strings of a list in metadata, which can hold anything. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}
