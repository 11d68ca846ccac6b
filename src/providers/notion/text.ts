import { markdownTable } from '../../file-text/index.ts'
import { extractNotionId } from '@notionhq/client'
import {
  plainText,
  richTextSchema,
  type NotionDataSource,
  type NotionPage,
  type NotionProperty as Property,
} from './objects.ts'

export function pageTitle(page: NotionPage): string {
  const title = Object.values(page.properties).find((property) => property.type === 'title')
  return title?.type === 'title' ? plainText(richTextSchema.parse(title.title)).trim() : ''
}

/** The properties of a database row as lines `Name: value`, without the title and empty ones. */
export function propertyLines(page: NotionPage): string {
  return Object.entries(page.properties)
    .flatMap(([name, property]) => {
      const value = property.type === 'title' ? '' : propertyText(property)
      return value === '' ? [] : [`${name}: ${value}`]
    })
    .join('\n')
}

function propertyText(property: Property): string {
  switch (property.type) {
    case 'rich_text':
      return plainText(property.rich_text)
    case 'number':
      return property.number === null ? '' : String(property.number)
    case 'select':
      return property.select?.name ?? ''
    case 'status':
      return property.status?.name ?? ''
    case 'multi_select':
      return property.multi_select.map((option) => option.name).join(', ')
    case 'date':
      return [property.date?.start, property.date?.end].filter(Boolean).join(' to ')
    case 'people':
      return property.people
        .flatMap((person) => ('name' in person && person.name ? [person.name] : []))
        .join(', ')
    case 'email':
      return property.email ?? ''
    case 'phone_number':
      return property.phone_number ?? ''
    case 'url':
      return property.url ?? ''
    case 'checkbox':
      return property.checkbox ? 'yes' : 'no'
    case 'unique_id':
      return [property.unique_id.prefix, property.unique_id.number].filter((part) => part !== null).join('-')
    case 'formula':
      return formulaText(property.formula)
    default:
      // Files, relations, rollups, buttons and the like have no text worth searching.
      return ''
  }
}

function formulaText(formula: Extract<Property, { type: 'formula' }>['formula']): string {
  switch (formula.type) {
    case 'string':
      return formula.string ?? ''
    case 'number':
      return formula.number === null ? '' : String(formula.number)
    case 'boolean':
      return formula.boolean === null ? '' : String(formula.boolean)
    case 'date':
      return formula.date?.start ?? ''
    default:
      return ''
  }
}

/** The searchable text of a database: its description and column names. */
export function dataSourceText(source: NotionDataSource): string {
  const { description, columns } = source
  return [description, columns.length === 0 ? '' : `Columns: ${columns.join(', ')}`]
    .filter((part) => part !== '')
    .join('\n\n')
}

// Each pattern stops where the next tag begins: an unclosed tag is not a tag.
const CHILD = /<(page|database)\b[^<>]*?\burl="([^"<>]+)"/g
const FILE = /<(?:file|pdf)\b/g
const TABLE_BEGINS = /<table\b([^<>]*)>/g
const DATE = /<mention-date\b([^<>]*)>/g
// A mention without text.
const PERSON = /<mention-user\b([^<>]*)\/>/g
// A person's own angle brackets are escaped.
const TAG =
  /(?<!\\)<\/?(?:page|database|mention-[a-z-]+|callout|columns?|details|summary|synced_block(?:_reference)?|table|colgroup|col|tr|td|span|unknown|empty-block|table_of_contents|audio|video|file|pdf|meeting-notes|notes|transcript)\b[^<>]*>/g
const BLOCK_ATTRIBUTES = /(?:^|[ \t])\{(?:[a-z-]+="[^"{}\n]*"[ \t]?){1,5}\}$/gm
// An image's address expires and has no useful text.
const IMAGE = /!\[((?:\\.|[^[\]\\\n])*)\]\([^()\s]*\)/g
const ESCAPED = /\\([\\*~`$[\]<>{}|^])/g

/** The ids of the people that Markdown mentions without their names. */
export const unnamedPeople = (markdown: string): Set<string> =>
  new Set([...markdown.matchAll(PERSON)].flatMap(([, attributes = '']) => personIn(attributes) ?? []))

const personIn = (attributes: string) => /\burl="user:\/\/([0-9a-f-]{32,36})"/.exec(attributes)?.[1]

/**
 * Notion's enhanced Markdown as plain Markdown: removes the tags and keeps their content, with `names` for unnamed
 * people. Code stays as it is.
 */
export function readableMarkdown(markdown: string, names: ReadonlyMap<string, string> = new Map()): string {
  const parts: { isCode: boolean; lines: string[] }[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    const isFence = line.trimStart().startsWith('```')
    const last = parts.at(-1)
    if (last && last.isCode === (isCode || isFence)) last.lines.push(line)
    else parts.push({ isCode: isCode || isFence, lines: [line] })
    if (isFence) isCode = !isCode
  }
  return parts
    .map(({ isCode: stays, lines }) => (stays ? lines.join('\n') : withoutTags(lines.join('\n'), names)))
    .join('\n')
    .replaceAll(/(?<![ \t])[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function withoutTags(markdown: string, names: ReadonlyMap<string, string>): string {
  return markdown
    .split('</table>')
    .map((part, at, parts) => {
      const begun = at < parts.length - 1 ? [...part.matchAll(TABLE_BEGINS)].at(-1) : undefined
      if (begun === undefined) return plainMarkdown(part, names)
      const [tag, attributes = ''] = begun
      const table = tableOf(part.slice(begun.index + tag.length), attributes, names)
      return `${plainMarkdown(part.slice(0, begun.index), names)}\n${table}\n`
    })
    .join('')
}

/** A table's rows as a Markdown table. */
function tableOf(rows: string, attributes: string, names: ReadonlyMap<string, string>): string {
  return markdownTable(
    rows
      .split('</tr>')
      .slice(0, -1)
      .map((row) =>
        row
          .split('</td>')
          .slice(0, -1)
          .map((cell) => plainMarkdown(cell, names)),
      ),
    attributes.includes('header-row="true"'),
  )
}

function plainMarkdown(markdown: string, names: ReadonlyMap<string, string>): string {
  return (
    markdown
      .replace(BLOCK_ATTRIBUTES, '')
      .replace(IMAGE, '$1')
      .replace(DATE, (_tag, attributes: string) => dateOf(attributes))
      .replace(PERSON, (_tag, attributes: string) => names.get(personIn(attributes) ?? '') ?? '')
      .replaceAll('<br>', '\n')
      // A table without its end.
      .replaceAll('</td>', ' | ')
      .replaceAll('</tr>', '\n')
      .replace(TAG, '')
      .replace(ESCAPED, '$1')
  )
}

/** A mentioned date, which has no text of its own. */
function dateOf(attributes: string): string {
  const all = new Map(
    [...attributes.matchAll(/([a-zA-Z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  const at = (date: string, time: string) => [all.get(date), all.get(time)].filter(Boolean).join(' ')
  const span = [at('start', 'startTime'), at('end', 'endTime')].filter(Boolean).join(' to ')
  return [span, all.get('timeZone')].filter(Boolean).join(' ')
}

/** How many files and PDFs the Markdown embeds. */
export function filesIn(markdown: string): number {
  return markdown.match(FILE)?.length ?? 0
}

/** The pages and databases directly under a page, by the tags in its Markdown. Mentions do not count. */
export function childrenIn(markdown: string): { kind: 'page' | 'database'; id: string }[] {
  return [...markdown.matchAll(CHILD)].flatMap((match) => {
    const id = extractNotionId(match[2] ?? '')
    return id === null ? [] : [{ kind: match[1] === 'page' ? ('page' as const) : ('database' as const), id }]
  })
}
