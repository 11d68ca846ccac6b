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
  // Code spans stand aside under private-use characters, so that no rule below looks into them.
  const codes: string[] = []
  const line = markup
    .replaceAll(/[\s\uE000\uE001]+/g, ' ')
    .replaceAll(/`[^`]+`/g, (code) => `\uE000${codes.push(code) - 1}\uE001`)
  const text = withoutMarkup(line).replaceAll(
    /\uE000(\d+)\uE001/g,
    (_, at: string) => codes[Number(at)] ?? '',
  )
  return text.replaceAll(MARKER_LIKE, '').replaceAll(/ {2,}/g, ' ').trim()
}

function withoutMarkup(line: string): string {
  return line
    .replaceAll(/<!--.*?(?:-->|$)|\{\{[<%].{0,500}?[>%]\}\}/g, ' ')
    .replaceAll(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?/g, ' ')
    .replaceAll(/\[([^[\]]+)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])/g, '$1')
    .replaceAll(/(?<!\\)\[(?=[^\]]*[^\]\d\s,;^–-])([^[\]]+)(?<!\\)\](?!\()/g, '$1')
    .replaceAll(/<(https?:[^\s<>]+)>/g, '$1')
    .replaceAll(/<\/?(?:a|abbr|b|code|em|i|kbd|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]{0,500})?>/gi, '')
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
