const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
}

/** A number in brackets reads as a citation marker, which only the answer itself may set. */
const MARKER_LIKE = /\s*\[\s*\^?\d+(?:\s*[,;–-]\s*\d+)*\s*\]/g

/**
 * One line of Markdown or HTML as a person reads it: links, emphasis, tags, images and template directives gone,
 * code spans kept with their backticks, whitespace single. Numbers in brackets are taken out, in code too.
 */
export function plainText(markup: string): string {
  const line = markup.replaceAll(/\s+/g, ' ').replaceAll(/\[(`[^`]+`)\](?:\([^()]*\)|\[[^\]]*\])?/g, '$1')
  const spans = line.split(/(`[^`]+`)/)
  const text = spans.map((span, at) => (at % 2 === 1 ? span : withoutMarkup(span))).join('')
  return text.replaceAll(MARKER_LIKE, '').replaceAll(/ {2,}/g, ' ').trim()
}

function withoutMarkup(span: string): string {
  return span
    .replaceAll(/<!--.*?(?:-->|$)|\{\{[<%].{0,500}?[>%]\}\}/g, ' ')
    .replaceAll(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?/g, ' ')
    .replaceAll(/\[([^[\]]+)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])/g, '$1')
    .replaceAll(/\[(?=[^\]]*[^\]\d\s,;^–-])([^[\]]+)\](?!\()/g, '$1')
    .replaceAll(/<(https?:[^\s<>]+)>/g, '$1')
    .replaceAll(/<\/?[a-zA-Z][^<>]{0,500}>/g, ' ')
    .replaceAll(/\*{3}/g, '*')
    .replaceAll(/\*\*|~~/g, '')
    .replaceAll(/(?<![\p{L}\p{N}*\\])\*(?=\S)([^*]+?)(?<!\\)\*(?![\p{L}\p{N}*])/gu, '$1')
    .replaceAll(/(?<![\p{L}\p{N}_])__(?=\S)([^_]+ [^_]+)__(?![\p{L}\p{N}_])/gu, '$1')
    .replaceAll(/(?<![\p{L}\p{N}_/\\])_(?=\S)([^_]+?)(?<!\\)_(?![\p{L}\p{N}_/])/gu, '$1')
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replaceAll(/&(#39|[a-z]+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replaceAll('`', '')
}

/** `text`, or as many whole words of it as fit into `lengthMax` characters, with an ellipsis. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const space = text.lastIndexOf(' ', lengthMax)
  // Text without spaces is cut anywhere but inside a surrogate pair.
  const end = space > lengthMax / 2 ? space : lengthMax
  return `${text
    .slice(0, end)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()} …`
}
