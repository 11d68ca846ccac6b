/** The fields of an item that determine the layout of its text. */
interface Laid {
  sourceKind: string
  metadata: Record<string, unknown>
}

const MARKDOWN = /[\\`*_{}[\]()#+\-.!|<>~]/g

/** The authors of a chat's messages; null for other kinds. */
export function sendersOf({ sourceKind, metadata }: Laid): readonly string[] | null {
  const senders = stringsOf(metadata.senders)
  return sourceKind === 'message' && senders.length > 0 ? senders : null
}

/** A chat as Markdown: authors in bold. The rendered text is unchanged, so that citations still match. */
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

/** The strings of a list in metadata, which is untyped. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
}
