import { withoutMarkers } from '../citations.ts'

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

/** A list of numbers in code: a value rather than an index. */
const NUMBERS = /(?<![\w\])])\[ ?(\d+(?: ?, ?\d+)+) ?\]/g

/** A tag whose end is in another block, because Markdown takes the `>` on its next line for a quotation. */
const UNCLOSED_TAG = /<[a-z][a-z0-9-]{0,20}(?: [\w:-]{1,40}="[^"<>]{0,200}"){1,20} ?$/i

/** The id and classes that Markdown allows after a heading: `{#leave .wide}`, `{: #leave}`. */
const ATTRIBUTES = / \{:? ?[#.][\w#.: -]{1,100}\}$/

/** The anchor signs that generators append to headings. */
const ANCHORS = /[¶\uF0C1]/g

/** Longer than any chunk. The rest of a longer title or question is ignored. */
const MARKUP_CHARACTERS_MAX = 10_000

/**
 * Renders one line of Markdown or HTML as text: removes links, emphasis, tags, images, and template directives, keeps
 * code spans with their backticks, and collapses white space. Removes numbers in brackets, also in code, because they
 * look like citation markers; a list of numbers in code only loses its brackets. Reads only the first 10,000
 * characters.
 */
export function plainText(markup: string): string {
  // Private-use characters replace code spans, so that no rule below changes them.
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

/** All markup starts with one of these characters. Most lines have none. */
const MARKUP = /[[<&*_~\\`{]/

/** Each pattern stops where the next match can begin, because searching on for its end takes quadratic time. */
function withoutMarkup(line: string): string {
  if (!MARKUP.test(line)) return line
  return (
    line
      .replaceAll(/<!--.*?(?:-->|$)|\{\{[<%][^{}]{0,500}[>%]\}\}/g, ' ')
      .replaceAll(/\{%-? \w{1,40}(?: "([^"{}./]{1,100})")?[^{}]{0,500}%\}/g, '$1')
      .replaceAll(/!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?/g, ' ')
      .replaceAll(/\[([^[\]]*\[[^[\]]*\][^[\]]*)\]\([^()]*\)/g, '$1')
      // Two numbers are not a link with its label but references to two notes.
      .replaceAll(/\[(?!\d+\]\[\d+\])([^[\]]+)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^[\]]*\])/g, '$1')
      .replaceAll(/(?<!\\)\[(?=[^[\]]*[^[\]\d\s,;^–-])([^[\]]+)(?<!\\)\](?!\()/g, '$1')
      .replaceAll(/<(https?:[^\s<>]+)>/g, '$1')
      .replaceAll(
        /<\/?(?:a|abbr|b|code|em|i|kbd|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]{0,500})?>/gi,
        '',
      )
      .replaceAll(/<\/?[a-zA-Z][^<>]{0,500}>/g, ' ')
      .replace(UNCLOSED_TAG, ' ')
      .replace(ATTRIBUTES, '')
      .replaceAll(/\*{3}/g, '*')
      .replaceAll(/\*\*|~~/g, '')
      .replaceAll(/(?<![\p{L}\p{N}*\\])\*(?=\S)([^*]+?)(?<!\\)\*(?![\p{L}\p{N}*])/gu, '$1')
      .replaceAll(/(?<![\p{L}\p{N}_])__(?=\S)(?=[^_]* [^_])([^_]+)__(?![\p{L}\p{N}_])/gu, '$1')
      .replaceAll(/(?<![\p{L}\p{N}_/\\])_(?=\S)([^_]+?)(?<!\\)_(?![\p{L}\p{N}_/])/gu, '$1')
      .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
      .replaceAll(ENTITY, decoded)
      .replaceAll('`', '')
  )
}

const ENTITY = /&(#39|[a-z]{1,10});/g

function decoded(entity: string, name: string): string {
  return ENTITIES[name] ?? entity
}

/** The code in a `<pre>` element, without tags. */
export function htmlCode(source: string): string {
  return source.replaceAll(/<\/?[a-zA-Z][^<>]{0,500}>/g, '').replaceAll(ENTITY, decoded)
}

/** The text, or as many whole words as fit into `lengthMax` characters, with an ellipsis. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const space = text.lastIndexOf(' ', lengthMax)
  // Text without spaces is cut anywhere except inside a surrogate pair.
  const end = space > lengthMax / 2 ? space : lengthMax
  return `${text
    .slice(0, end)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()} …`
}

/** Joins wrapped lines and rejoins hyphenated words. Takes all lines at once, so that it copies the text once. */
export function joinLines(lines: readonly string[]): string {
  return lines
    .map((line, at) => {
      if (at === lines.length - 1) return line
      if (line.endsWith('\u2010')) return line.slice(0, -1)
      return line === '' ? '' : `${line} `
    })
    .join('')
}
