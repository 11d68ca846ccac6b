import { markdownTable } from '../../file-text/index.ts'
import { z } from 'zod'
import { parseShape } from '../rest.ts'
import {
  plainText,
  richTextSchema,
  type NotionDataSource,
  type NotionPage,
  type NotionProperty,
} from './objects.ts'

export function pageTitle({ properties }: NotionPage): string {
  const title = properties.find(({ type }) => type === 'title')
  return title === undefined ? '' : plainText(richTextSchema.parse(title['title'])).trim()
}

/** The properties of a database row as lines `Name: value`, without the title and empty ones. */
export function propertyLines({ properties }: NotionPage): string {
  return properties
    .flatMap((property) => {
      const value = propertyText(property)
      return value === '' ? [] : [`${property.name}: ${value}`]
    })
    .join('\n')
}

function propertyText(property: NotionProperty): string {
  const [content, schema] = [property[property.type], PROPERTY_TEXTS.get(property.type)]
  return content == null || schema === undefined ? '' : parseShape(content, schema, 'Notion', 'rejected')
}

const joined = (separator: string) => (parts: readonly unknown[]) => parts.filter(Boolean).join(separator)
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)
const named = z.object({ name: z.string().nullish() }).transform(({ name }) => name ?? '')
const formula = z.looseObject({ type: z.string() }).transform((value) => {
  const result = value[value.type]
  return scalar.or(z.object({ start: scalar }).transform(({ start }) => start)).safeParse(result).data ?? ''
})
/** Files, relations, rollups, buttons and the like have no text worth searching. */
const PROPERTY_TEXTS = new Map<string, z.ZodType<string>>(
  Object.entries({
    rich_text: richTextSchema.transform(plainText),
    number: scalar,
    select: named,
    status: named,
    multi_select: z.array(named).transform(joined(', ')),
    date: z
      .object({ start: z.string().nullish(), end: z.string().nullish() })
      .transform(({ start, end }) => joined(' to ')([start, end])),
    people: z.array(named).transform(joined(', ')),
    email: scalar,
    phone_number: scalar,
    url: scalar,
    checkbox: z.boolean().transform((isChecked) => (isChecked ? 'yes' : 'no')),
    unique_id: z
      .object({ prefix: z.string().nullish(), number: z.number().nullish() })
      .transform(({ prefix, number }) => [prefix, number].filter((part) => part != null).join('-')),
    formula,
  }),
)

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
    [...attributes.matchAll(/(?<![a-zA-Z])([a-zA-Z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
  const at = (date: string, time: string) => [all.get(date), all.get(time)].filter(Boolean).join(' ')
  const span = [at('start', 'startTime'), at('end', 'endTime')].filter(Boolean).join(' to ')
  return [span, all.get('timeZone')].filter(Boolean).join(' ')
}

/** How many files and PDFs the Markdown embeds. */
export function filesIn(markdown: string): number {
  return markdown.match(FILE)?.length ?? 0
}

const LINKED_ID =
  /[-/=]([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})(?:[/?#&]|$)/i

/** The pages and databases directly under a page, by the tags in its Markdown. Mentions do not count. */
export function childrenIn(markdown: string): { kind: 'page' | 'database'; id: string }[] {
  return [...markdown.matchAll(CHILD)].flatMap(([, kind, url]) => {
    const id = LINKED_ID.exec(`/${url}`)?.slice(1).join('-').toLowerCase()
    return id === undefined ? [] : [{ kind: kind === 'page' ? ('page' as const) : ('database' as const), id }]
  })
}
