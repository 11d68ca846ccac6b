import { withoutMarkers } from './citations.ts'

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

/** A list of numbers in code, which is a value, and not an index. */
const NUMBERS = /(?<![\w\])])\[ ?(\d+(?: ?, ?\d+)+) ?\]/g

/** Signs that generators put behind headings as links to them. */
const ANCHORS = /[¶\uF0C1]/g

/** No chunk is longer; what stands beyond in a title or question is not read. */
const MARKUP_CHARACTERS_MAX = 10_000

/**
 * One line of Markdown or HTML as a person reads it: links, emphasis, tags, images and template directives gone,
 * code spans kept with their backticks, whitespace single. Numbers in brackets are taken out, in code too: they read as
 * citation markers; only a list of numbers in code stays, without its brackets. Of longer text only the first 10,000
 * characters.
 */
export function plainText(markup: string): string {
  // Code spans stand aside under private-use characters, so that no rule below looks into them.
  const codes: string[] = []
  const line = markup
    .slice(0, MARKUP_CHARACTERS_MAX)
    .replaceAll(ANCHORS, '')
    .replaceAll(/[\s\uE000\uE001]+/g, ' ')
    .replaceAll(/`[^`]+`/g, (code) => `\uE000${codes.push(code.replaceAll(NUMBERS, '$1')) - 1}\uE001`)
  const text = withoutMarkup(line).replaceAll(
    /\uE000(\d+)\uE001/g,
    (_, at: string) => codes[Number(at)] ?? '',
  )
  return withoutMarkers(text).replaceAll(/ {2,}/g, ' ').trim()
}

/** Each pattern stops where the next match could begin: one that looked further for its end would take quadratic time. */
function withoutMarkup(line: string): string {
  return line
    .replaceAll(/<!--.*?(?:-->|$)|\{\{[<%][^{}]{0,500}[>%]\}\}/g, ' ')
    .replaceAll(/!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?/g, ' ')
    .replaceAll(/\[([^[\]]+)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\])/g, '$1')
    .replaceAll(/(?<!\\)\[(?=[^[\]]*[^[\]\d\s,;^–-])([^[\]]+)(?<!\\)\](?!\()/g, '$1')
    .replaceAll(/<(https?:[^\s<>]+)>/g, '$1')
    .replaceAll(/<\/?(?:a|abbr|b|code|em|i|kbd|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]{0,500})?>/gi, '')
    .replaceAll(/<\/?[a-zA-Z][^<>]{0,500}>/g, ' ')
    .replaceAll(/\*{3}/g, '*')
    .replaceAll(/\*\*|~~/g, '')
    .replaceAll(/(?<![\p{L}\p{N}*\\])\*(?=\S)([^*]+?)(?<!\\)\*(?![\p{L}\p{N}*])/gu, '$1')
    .replaceAll(/(?<![\p{L}\p{N}_])__(?=\S)(?=[^_]* [^_])([^_]+)__(?![\p{L}\p{N}_])/gu, '$1')
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
